/** A host, or a family of hosts, that http targets may name: `api.example.com`, `*.example.com:8443`. */
export interface HostEntry {
  readonly protocol: string;
  /** As a URL parser writes it: lower case, Punycode, numbers as an address; without a dot at the end. */
  readonly host: string;
  /** Of `*.example.com`: what is below it, at any depth, and not itself. */
  readonly below: boolean;
  readonly port: string;
}

const FORM = /^(?:(https?):\/\/)?(\*\.)?([^\s/\\?#@:*[\]%,]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * Reads an entry; undefined when it is none. As in a Content Security Policy, one without a scheme is for https,
 * and one without a port for the scheme's own: the clear text of http, and odd ports, are asked for by name.
 */
export function readHostEntry(text: string): HostEntry | undefined {
  const [, scheme = 'https', star, host, port] = FORM.exec(text) ?? [];
  if (host === undefined) return undefined;
  const spelt = `${scheme}://${host}${port === undefined ? '' : `:${port}`}`;
  const url = URL.canParse(spelt) ? new URL(spelt) : undefined;
  if (url === undefined || withoutDot(url.hostname) === '') return undefined;
  const below = star !== undefined;
  if (below && isAddress(url.hostname)) return undefined;
  return { protocol: url.protocol, host: withoutDot(url.hostname), below, port: url.port };
}

/** Whether a URL names a host of the entry. Its own spelling, `HTTPS://API.Example.com.:443/x`, makes no difference. */
export function hostMatches(entry: HostEntry, url: URL): boolean {
  const host = withoutDot(url.hostname);
  return (
    url.protocol === entry.protocol &&
    url.port === entry.port &&
    (entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host)
  );
}

/** The entry that would allow `url`. */
export function hostEntryFor(url: URL): string {
  return `${url.protocol === 'https:' ? '' : 'http://'}${withoutDot(url.hostname)}${url.port && `:${url.port}`}`;
}

const withoutDot = (hostname: string): string => hostname.replace(/\.$/, '');

/** An address as a URL parser writes it: a name that ends in a number is an address to it, or nothing. */
const isAddress = (hostname: string): boolean => /^\[|^[\d.]+$/.test(hostname);
