// The signed statement of what a channel offers on a platform. It names the file by its hashes, so that a client can get
// the bytes from anywhere, and has a serial, so that an older statement can't be replayed to a client that has seen a
// newer one.
import type { Arch, Os } from '@chauffeur/contract/identity';
import type { Context } from '../../context.ts';
import { LostSigningKeyError, signMessage } from '../../ship/signing-keys/signing-keys.ts';

export type Stated = {
  readonly game: string;
  readonly channel: string;
  readonly os: Os;
  readonly arch: Arch;
  readonly build: string;
  readonly file: string;
  /** Bytes and SHA-256 of the zip. */
  readonly size: number;
  readonly zip: string;
  /** The SHA-256 of the unpacked manifest; null if the file has none. */
  readonly manifest: string | null;
  readonly serial: number;
};

type Signed = { statement: string; signature: string };
const UNSIGNED = { statement: null, signature: null };

/** Without a usable key, games can still ask whether there is an update, and only clients that need a signature refuse it. */
export async function signStatement(ctx: Context, stated: Stated): Promise<Signed | typeof UNSIGNED> {
  const bytes = Buffer.from(JSON.stringify({ ...stated, issued_at: ctx.clock.now().toISOString() }));
  try {
    const { keyId, bytes: signature } = await signMessage(ctx, 'statement', bytes);
    return { statement: bytes.toString('base64url'), signature: `${keyId} ${signature.toString('base64url')}` };
  } catch (err) {
    if (!(err instanceof LostSigningKeyError)) throw err;
    ctx.log.error({ err }, 'what a channel offers could not be signed');
    return UNSIGNED;
  }
}
