// Makes a self-signed certificate for one host name, for TLS servers in tests (X.509 v3 in DER, RFC 5280).
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export type Certificate = { readonly key: string; readonly cert: string };

const DAY_MS = 24 * 3600 * 1000;

const OIDS = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  crlDistributionPoints: '551d1f',
} as const;

/** It is valid from yesterday to `days` from now. `crl` is the URL of its revocation list. */
export function makeCertificate(host: string, days = 1, crl?: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OIDS.ecdsaWithSha256));
  const name = sequence(der(0x31, sequence(oid(OIDS.commonName), der(0x0c, Buffer.from(host)))));
  const altNames = sequence(der(0x82, Buffer.from(host)));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + days * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid(OIDS.subjectAltName), der(0x04, altNames)), ...(crl ? [crlExtension(crl)] : []))),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', signed, privateKey));
  const cert = sequence(signed, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  };
}

function crlExtension(url: string): Buffer {
  const point = sequence(der(0xa0, der(0xa0, der(0x86, Buffer.from(url)))));
  return sequence(oid(OIDS.crlDistributionPoints), der(0x04, sequence(point)));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

/** A time such as `261121200000Z`: a two-digit year, down to seconds, in UTC. */
function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

/** A tag, the length of the content, and the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = body.length < 128 ? [tag, body.length] : [tag, 0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), body]);
}
