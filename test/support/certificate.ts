import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

/** DER (ITU-T X.690): a tag, a length, and what it holds. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\.\d+/g, '')}`));
const nameOf = (commonName: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
const extension = (id: string, value: Buffer, critical = false) =>
  sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([255]))] : []), der(0x04, value));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const DAY = 86_400_000;

export interface TestCertificate {
  readonly cert: string;
  readonly key: KeyObject;
}

/**
 * A certificate (RFC 5280) for `hosts`, signed by `issuer` or, without one, by itself and then fit to sign others.
 * Node verifies certificates and cannot make them.
 */
export function certificateFor(
  commonName: string,
  hosts: readonly string[],
  issuer?: TestCertificate,
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuerName = issuer ? commonNameOf(issuer) : commonName;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    nameOf(issuerName),
    sequence(time(new Date(Date.now() - DAY)), time(new Date(Date.now() + DAY))),
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        extension('551d13', sequence(...(issuer ? [] : [der(0x01, Buffer.from([255]))])), true),
        ...(hosts.length > 0
          ? [extension('551d11', sequence(...hosts.map((host) => der(0x82, Buffer.from(host)))))]
          : []),
      ),
    ),
  );
  const signature = sign('sha256', body, issuer?.key ?? privateKey);
  const whole = sequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), signature));
  return { cert: new X509Certificate(whole).toString(), key: privateKey };
}

const commonNameOf = ({ cert }: TestCertificate) => new X509Certificate(cert).subject.replace(/^CN=/, '');
