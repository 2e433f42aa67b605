// The tokens of a report: one for each upload address, which allows one file, and one that reads its state, reason and stack.
import type { Context } from '../../context.ts';
import { isUuid } from '../../kernel/ids.ts';
import { perContext } from '../../kernel/per-context.ts';
import { deriveKey, openToken, signToken } from '../../kernel/signed-token.ts';

export type CrashFileKind = 'dump' | 'log';

/** What an upload address allows: one file of `kind` for the report, until `expiresAt`. */
export type UploadGrant = { kind: CrashFileKind; gameId: string; reportId: string; expiresAt: Date };

const KINDS: readonly CrashFileKind[] = ['dump', 'log'];
const UUID_BYTES = 16;
/** Kind, game, report, and the milliseconds of its end. */
const UPLOAD_BYTES = 1 + 2 * UUID_BYTES + 6;

const keysOf = perContext(({ secret }) => ({
  upload: deriveKey(secret, 'crash upload'),
  read: deriveKey(secret, 'crash read'),
}));

/** Its single use is not in the token: it is over when the report has the file. */
export function makeUploadToken(ctx: Context, { kind, gameId, reportId, expiresAt }: UploadGrant): string {
  const payload = Buffer.alloc(UPLOAD_BYTES);
  payload[0] = KINDS.indexOf(kind);
  payload.write(gameId.replaceAll('-', ''), 1, 'hex');
  payload.write(reportId.replaceAll('-', ''), 1 + UUID_BYTES, 'hex');
  payload.writeUIntBE(expiresAt.getTime(), 1 + 2 * UUID_BYTES, 6);
  return signToken(keysOf(ctx).upload, payload);
}

/** What the token allows now; null when it is not ours or its time is over. */
export function openUploadToken(ctx: Context, token: string): UploadGrant | null {
  const payload = openToken(keysOf(ctx).upload, token);
  const kind = KINDS[payload?.[0] ?? -1];
  if (payload?.length !== UPLOAD_BYTES || kind === undefined) return null;
  const expiresAt = new Date(payload.readUIntBE(1 + 2 * UUID_BYTES, 6));
  if (expiresAt <= ctx.clock.now()) return null;
  return { kind, gameId: uuidAt(payload, 1), reportId: uuidAt(payload, 1 + UUID_BYTES), expiresAt };
}

/** It names the game, which every query is scoped by, and is good for this one report. */
export function makeReadToken(ctx: Context, { gameId, reportId }: { gameId: string; reportId: string }): string {
  const payload = Buffer.from((gameId + reportId).replaceAll('-', ''), 'hex');
  return signToken(keysOf(ctx).read, payload);
}

/** The game of the report that `token` reads; null when it is not a token of this report. */
export function openReadToken(ctx: Context, token: string, reportId: string): string | null {
  const payload = openToken(keysOf(ctx).read, token);
  if (payload?.length !== 2 * UUID_BYTES || !isUuid(reportId)) return null;
  return uuidAt(payload, UUID_BYTES) === reportId.toLowerCase() ? uuidAt(payload, 0) : null;
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID_BYTES);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
