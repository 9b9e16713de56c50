import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Keeps http targets on the public internet. What is checked is the address that is connected to, after name
 * resolution, so that a name that resolves to a private address, or comes to do so, gets nowhere.
 */
export interface AddressGuard {
  /** Throws for a host that is itself a forbidden address; a name passes here and is checked by `lookup`. */
  assertHost(hostname: string): void;
  /** For `http.request`: resolves a name to its permitted addresses. */
  readonly lookup: LookupFunction;
}

export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'EFORBIDDENADDRESS';

  constructor(host: string, address: string, range: string) {
    super(
      `${host} is the address ${address}, which is ${range} and not public. ` +
        'A deployment can allow it by naming its range in httpAllowedRanges.',
    );
  }
}

/** The part of IPv6 that is given to the public. What is outside is an IPv4 address in some clothing, or nobody's. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** `allowed`: CIDR ranges that may be reached although they are not public. `resolve` is the system's. */
export function createAddressGuard(
  allowed: readonly string[],
  resolve: typeof systemLookup = systemLookup,
): AddressGuard {
  const ranges = allowed.map((cidr) => ipaddr.parseCIDR(cidr));

  /** Undefined when permitted, or the name of the range that forbids it (`loopback`, `private`, `linkLocal`, …). */
  function forbiddenRange(address: string): string | undefined {
    // `process` turns an IPv4 address in IPv6 clothing into the IPv4 address that is really connected to.
    const ip = ipaddr.process(address);
    const isAllowed = ranges.some(
      ([network, bits]) => ip.kind() === network.kind() && ip.match(network, bits),
    );
    if (isAllowed) return undefined;
    if (ip.range() !== 'unicast') return ip.range();
    return ip.kind() === 'ipv4' || ip.match(GLOBAL_IPV6) ? undefined : 'unassigned';
  }

  return {
    assertHost(hostname) {
      const literal = hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) === 0) return;
      const range = forbiddenRange(literal);
      if (range !== undefined) throw new ForbiddenAddressError(hostname, literal, range);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const permitted = addresses.filter(({ address }) => forbiddenRange(address) === undefined);
        const [first] = permitted;
        if (!first) {
          const refused = addresses[0]?.address ?? 'no address';
          const range = forbiddenRange(refused) ?? 'none';
          return callback(new ForbiddenAddressError(hostname, refused, range), '', 0);
        }
        return options.all ? callback(null, permitted) : callback(null, first.address, first.family);
      });
    },
  };
}
