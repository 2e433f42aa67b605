// The pair of access token and secret key that deploy keys and upload tokens share. Only hashes of it are stored.
import { hashSecret, newSecret } from '../../kernel/secrets/ids.ts';

const REF_LENGTH = 8;
/** Characters of 5.8 bits. With at least 186 bits, a plain SHA-256 is enough to protect them. */
const TOKEN_LENGTH = 32;
const SECRET_LENGTH = 48;

export type KeyPair = {
  readonly accessToken: string;
  readonly secretKey: string;
  /** The beginning of the access token, by which the pair is recognized. */
  readonly keyRef: string;
  readonly tokenHash: Buffer;
  readonly secretHash: Buffer;
};

export function newKeyPair(): KeyPair {
  const accessToken = newSecret(TOKEN_LENGTH);
  const secretKey = newSecret(SECRET_LENGTH);
  return {
    accessToken,
    secretKey,
    keyRef: accessToken.slice(0, REF_LENGTH),
    tokenHash: hashSecret(accessToken),
    secretHash: hashSecret(secretKey),
  };
}
