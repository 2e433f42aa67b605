// A passkey in software, for tests of registrations and sign-ins (WebAuthn level 2; CBOR is RFC 8949, keys are RFC 9053).
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an authenticator or a browser could get wrong. */
export type Wrong = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly counter?: number;
  readonly userVerified?: boolean;
  /** The format and the statement of an attestation; by default, `none`. */
  readonly attestation?: readonly [format: string, statement: ItemMap];
};

type Item = number | string | Buffer | ItemMap | readonly Item[];
type ItemMap = ReadonlyMap<number | string, Item>;

export type Authenticator = ReturnType<typeof makeAuthenticator>;

/** A device with one key, for the website at `origin`. */
export function makeAuthenticator(origin: string, id = randomBytes(16)) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const [ES256, P256] = [-7, 1];
  const key: ItemMap = new Map<number, Item>([
    [1, 2],
    [3, ES256],
    [-1, P256],
    [-2, Buffer.from(String(x), 'base64url')],
    [-3, Buffer.from(String(y), 'base64url')],
  ]);
  const ids = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' };

  function clientData(challenge: string, type: string, wrong: Wrong): Buffer {
    return Buffer.from(
      JSON.stringify({ type: wrong.type ?? type, challenge, origin: wrong.origin ?? origin, crossOrigin: false }),
    );
  }

  function authData({ rpId = 'localhost', counter = 0, userVerified = true }: Wrong, attested: Buffer): Buffer {
    const flags = 1 + (userVerified ? 4 : 0) + (attested.length > 0 ? 0x40 : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), head, attested]);
  }

  return {
    /** The browser's answer to the options of a registration. */
    register(challenge: string, wrong: Wrong = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, encode(key)]);
      const [format, statement] = wrong.attestation ?? ['none', new Map()];
      const object: ItemMap = new Map<string, Item>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', authData(wrong, attested)],
      ]);
      return {
        ...ids,
        response: {
          clientDataJSON: clientData(challenge, 'webauthn.create', wrong).toString('base64url'),
          attestationObject: encode(object).toString('base64url'),
          transports: ['internal'],
        },
        clientExtensionResults: {},
      };
    },
    /** The browser's answer to the options of a sign-in. */
    signIn(challenge: string, wrong: Wrong = {}) {
      const [data, auth] = [clientData(challenge, 'webauthn.get', wrong), authData(wrong, Buffer.alloc(0))];
      const signed = Buffer.concat([auth, createHash('sha256').update(data).digest()]);
      return {
        ...ids,
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: auth.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        },
        clientExtensionResults: {},
      };
    },
  };
}

function encode(value: Item): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [encode(key), encode(item)])]);
  const items = value as readonly Item[];
  return Buffer.concat([head(4, items.length), ...items.map(encode)]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of(major * 32 + length);
  if (length < 256) return Buffer.of(major * 32 + 24, length);
  return Buffer.of(major * 32 + 25, length >> 8, length & 255);
}
