// The Ed25519 keys (RFC 8032) with which the installation signs what clients install, so that a proxy or a mirror can't
// replace it. The newest key signs. When it is replaced, it vouches for its successor, so a client that trusts one key
// can follow the chain to the newest.
import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Context } from '../../context.ts';
import { SECOND } from '../../kernel/clock.ts';
import { openSecret, sealSecret } from '../../kernel/secrets/sealed.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';
import * as keys from './signing-keys.sql.ts';

/** Says what is signed, so that a signature for one purpose is invalid for any other. */
export type SigningPurpose = 'manifest' | 'statement' | 'signing key';

/** What a signature is made of: `chauffeur`, the purpose and the version of its format, a line break, and the message. */
export function messageOf(purpose: SigningPurpose, message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`chauffeur ${purpose} 1\n`), message]);
}

export type Signature = {
  /** 16 hex digits. */
  readonly keyId: string;
  /** 64 bytes. */
  readonly bytes: Buffer;
};

type Signer = { readonly keyId: string; readonly privateKey: KeyObject };

/** How long a process may sign with a key that another one has replaced. */
const KEPT_MS = 30 * SECOND;

const kept = perContext(() => ({ signer: null as Promise<Signer> | null, until: 0 }));
const sealingKeyOf = perContext(({ secret }) => deriveKey(secret, 'signing keys'));

/**
 * Signs a message with the newest key, and creates the first one if there is none. Throws an Error if the key was sealed
 * with another secret of the service.
 */
export async function signMessage(ctx: Context, purpose: SigningPurpose, message: Uint8Array): Promise<Signature> {
  const { keyId, privateKey } = await signerOf(ctx);
  return { keyId, bytes: sign(null, messageOf(purpose, message), privateKey) };
}

function signerOf(ctx: Context): Promise<Signer> {
  const state = kept(ctx);
  if (state.signer === null || performance.now() > state.until) {
    const signer = readSigner(ctx);
    state.signer = signer;
    state.until = performance.now() + KEPT_MS;
    signer.catch(() => {
      if (state.signer === signer) state.signer = null;
    });
  }
  return state.signer;
}

async function readSigner(ctx: Context): Promise<Signer> {
  const newest = (await keys.newestSigningKey(ctx.db)) ?? (await createFirstKey(ctx));
  return { keyId: newest.key_id, privateKey: openPrivateKey(ctx, newest) };
}

/** If two processes create the first key at once, both use the key that was stored first. */
async function createFirstKey(ctx: Context): Promise<keys.SigningKeyRow> {
  const created = newKey(ctx, null);
  if (await keys.insertSigningKey(ctx.db, created)) return created;
  return (await keys.newestSigningKey(ctx.db)) ?? created;
}

type Published = {
  key_id: string;
  algorithm: 'ed25519';
  /** The 32 bytes of the key in base64url. */
  public_key: string;
  created_at: string;
  /** The key that vouches for this one, with its signature of the 32 bytes in base64url; null for the first key. */
  previous: { key_id: string; signature: string } | null;
};

/** What `/.well-known/chauffeur-keys.json` shows: all keys, newest first. There is always one. */
export async function publishedKeys(ctx: Context): Promise<{ keys: Published[] }> {
  await signerOf(ctx);
  const all = await keys.listSigningKeys(ctx.db);
  return {
    keys: all.map((key, index) => ({
      key_id: key.key_id,
      algorithm: 'ed25519',
      public_key: key.public_key.toString('base64url'),
      created_at: key.created_at.toISOString(),
      previous:
        key.succession === null
          ? null
          : { key_id: all[index + 1]!.key_id, signature: key.succession.toString('base64url') },
    })),
  };
}

/** The stored key can't be read. */
export class LostSigningKeyError extends Error {
  constructor() {
    super(
      'The signing key was sealed with another secret of the service. Restore that secret, or run ' +
        'chauffeur-server admin signing-key rotate --without-succession, after which clients ask their users.',
    );
  }
}

/** Without a succession, the old key isn't needed, but clients don't trust the new one by themselves. */
export type Rotation = { withoutSuccession: boolean };

/**
 * Replaces the key that signs. Throws LostSigningKeyError if the old one can't be read, unless no succession is wanted.
 * Returns null if another process has replaced it at the same moment.
 */
export async function rotateSigningKey(
  ctx: Context,
  { withoutSuccession }: Rotation,
): Promise<{ keyId: string; previousKeyId: string | null } | null> {
  const previous = await keys.newestSigningKey(ctx.db);
  const signer =
    previous === undefined || withoutSuccession
      ? null
      : { keyId: previous.key_id, privateKey: openPrivateKey(ctx, previous) };
  const next = newKey(ctx, signer, (previous?.generation ?? -1) + 1);
  if (!(await keys.insertSigningKey(ctx.db, next))) return null;
  kept(ctx).signer = null;
  return { keyId: next.key_id, previousKeyId: signer?.keyId ?? null };
}

/** A key that isn't stored yet, with the succession that `previous` signs. */
function newKey(ctx: Context, previous: Signer | null, generation = 0): keys.SigningKeyRow {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = rawOf(publicKey);
  const keyId = keyIdOf(bytes);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    key_id: keyId,
    generation,
    public_key: bytes,
    sealed_private_key: sealSecret(sealingKeyOf(ctx), keyId, pem),
    succession: previous === null ? null : sign(null, messageOf('signing key', bytes), previous.privateKey),
    created_at: ctx.clock.now(),
  };
}

function openPrivateKey(ctx: Context, { key_id, sealed_private_key }: keys.SigningKeyRow): KeyObject {
  const pem = openSecret(sealingKeyOf(ctx), key_id, sealed_private_key);
  if (pem === null) throw new LostSigningKeyError();
  return createPrivateKey(pem);
}

/** The 32 bytes of a public key (RFC 8032, section 5.1.5). */
function rawOf(publicKey: KeyObject): Buffer {
  const { x } = publicKey.export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}

/** The first 8 bytes of the SHA-256 of a public key, as hex digits. */
export function keyIdOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}
