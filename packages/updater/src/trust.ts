// Checks that a manifest is what the server signed for a build. The first key is trusted as it is; after that, only
// keys that the trusted one vouches for, directly or through others.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { DeltaError } from '@chauffeur/deltas/error';
import { decodeManifest, MANIFEST_LIMITS, type Manifest, unpackManifest } from '@chauffeur/deltas/manifest';
import { UpdaterError } from './error.ts';

export type PublicKey = {
  /** 16 hex digits: the beginning of the SHA-256 of the key. */
  readonly keyId: string;
  /** 32 bytes in base64url. */
  readonly publicKey: string;
};
type PublishedKey = PublicKey & { readonly previous: { readonly keyId: string; readonly signature: Buffer } | null };

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** More keys than an installation ever has. */
const MAX_KEYS = 1000;

/** Reads `/.well-known/chauffeur-keys.json`. Keys that this version doesn't know are left out. */
export function parseKeys(text: string): PublishedKey[] {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) return [];
    return keys.flatMap(parseKey);
  } catch {
    return [];
  }
}

function parseKey(value: unknown): PublishedKey[] {
  const { key_id: keyId, algorithm, public_key: publicKey, previous } = (value ?? {}) as Record<string, unknown>;
  if (typeof keyId !== 'string' || typeof publicKey !== 'string' || algorithm !== 'ed25519') return [];
  const bytes = Buffer.from(publicKey, 'base64url');
  // The id of a key is computed, so that none can pretend to be another.
  if (bytes.length !== KEY_BYTES || keyIdOf(bytes) !== keyId) return [];
  const { key_id: previousId, signature } = (previous ?? {}) as Record<string, unknown>;
  const hasPrevious = typeof previousId === 'string' && typeof signature === 'string';
  return [
    {
      keyId,
      publicKey,
      previous: hasPrevious ? { keyId: previousId, signature: Buffer.from(signature, 'base64url') } : null,
    },
  ];
}

function keyIdOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

/**
 * The key `keyId`, if `trusted` is that key or vouches for it through others. Without a trusted key, any published one
 * is. Throws UpdaterError otherwise.
 */
export function followKeys(keys: readonly PublishedKey[], keyId: string, trusted: PublicKey | null): PublicKey {
  const byId = new Map(keys.map((key) => [key.keyId, key]));
  const wanted = byId.get(keyId);
  if (trusted?.keyId === keyId) return trusted;
  if (wanted === undefined)
    throw untrusted(`The update is signed with the key ${keyId}, which the server doesn't publish.`);
  if (trusted === null) return wanted;
  const seen = new Set<string>();
  for (let key = wanted; key.previous !== null && !seen.has(key.keyId); ) {
    seen.add(key.keyId);
    const isTrusted = key.previous.keyId === trusted.keyId;
    const previous: PublicKey | undefined = isTrusted ? trusted : byId.get(key.previous.keyId);
    if (previous === undefined) break;
    const message = Buffer.from(key.publicKey, 'base64url');
    if (!isSigned('signing key', message, key.previous.signature, previous)) break;
    if (isTrusted) return wanted;
    key = byId.get(previous.keyId)!;
  }
  throw untrusted(
    `The server signs with another key than before, ${keyId}, and the key ${trusted.keyId} doesn't vouch for it.`,
    'Somebody could be sending you another game. If the developer confirms the new key, uninstall the game and install ' +
      'it again; what you changed in it stays.',
  );
}

/** Whether `key` signed the message for this purpose. */
export function isSigned(purpose: string, message: Uint8Array, signature: Buffer, { publicKey }: PublicKey): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  return verify(null, Buffer.concat([Buffer.from(`chauffeur ${purpose} 1\n`), message]), key, signature);
}

/** The header `x-chauffeur-signature`: the id of the key, a space, and the signature in base64url. */
export function parseSignature(header: string | null): { keyId: string; signature: Buffer } {
  const [, keyId, text] = /^([0-9a-f]{16}) ([A-Za-z0-9_-]{86})$/.exec(header ?? '') ?? [];
  if (keyId === undefined || text === undefined) throw untrusted('The update has no signature.');
  return { keyId, signature: Buffer.from(text, 'base64url') };
}

/** What a manifest has to be about. */
export type Expected = {
  readonly gameUid: string;
  readonly buildId: string;
  readonly fileUid: string;
  readonly os: string;
  readonly arch: string;
  readonly size: number;
  readonly checksum: string;
};

/** The bytes of a manifest that was sent. Throws UpdaterError. */
export function unpackSent(packed: Uint8Array): Buffer {
  return orUntrusted(() => unpackManifest(packed));
}

/** Reads a manifest, if `key` signed it and it is the expected one. Throws UpdaterError. */
export function openManifest(encoded: Uint8Array, signature: Buffer, key: PublicKey, expected: Expected): Manifest {
  const digest = createHash('sha256').update(encoded).digest();
  if (!isSigned('manifest', digest, signature, key))
    throw untrusted('The list of files of the update is not what the server signed.');
  const manifest = orUntrusted(() => decodeManifest(encoded));
  const { origin, zip } = manifest;
  const isExpected =
    origin.game === expected.gameUid &&
    origin.build === expected.buildId &&
    origin.file === expected.fileUid &&
    origin.os === expected.os &&
    origin.arch === expected.arch &&
    zip.size === expected.size &&
    zip.sha256.toString('hex') === expected.checksum;
  if (!isExpected) throw untrusted('The server sent the list of files of another build.');
  return manifest;
}

/** Reads a packed manifest that was checked before. Throws UpdaterError if it is damaged. */
export function readManifest(packed: Uint8Array): Manifest {
  return orUntrusted(() => decodeManifest(unpackManifest(packed)));
}

/** Several times what the manifest of a game with 200,000 files takes. */
export const MAX_MANIFEST_BYTES = MANIFEST_LIMITS.bytes / 4;

function orUntrusted<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof DeltaError)) throw cause;
    throw untrusted(`The list of files of the update is not valid. ${cause.message}`, undefined, cause);
  }
}

export function untrusted(message: string, remedy?: string, cause?: unknown): UpdaterError {
  const advice = remedy ?? 'Nothing of it was used. Try again later, and write to the developer if it happens again.';
  return new UpdaterError('untrusted', message, advice, cause === undefined ? {} : { cause });
}
