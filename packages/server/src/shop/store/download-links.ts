// Signed links to files, by which a CDN fetches them. All players get the same link within an hour, so that the CDN keeps
// one copy.
import type { Context } from '../../context.ts';
import { HOUR, SECOND } from '../../kernel/clock.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../kernel/secrets/signed-token.ts';
import { perContext } from '../../request/per-context.ts';

type LinkedFile = { readonly gameId: string; readonly fileId: string };

const UUID_BYTES = 16;
const LIFE_HOURS = 2;
const keyOf = perContext(({ secret }) => deriveKey(secret, 'downloads'));

/** A link on the CDN that is valid for one to two hours; null without a CDN. */
export function createDownloadLink(ctx: Context, { gameId, fileId }: LinkedFile): string | null {
  const { downloadUrl } = ctx.config;
  if (downloadUrl === undefined) return null;
  const payload = Buffer.alloc(2 * UUID_BYTES + 4);
  payload.write(gameId.replaceAll('-', ''), 0, 'hex');
  payload.write(fileId.replaceAll('-', ''), UUID_BYTES, 'hex');
  payload.writeUInt32BE(Math.floor(ctx.clock.now().getTime() / HOUR) + LIFE_HOURS, 2 * UUID_BYTES);
  return `${downloadUrl.replace(/\/+$/, '')}/api/v1/public/downloads/${signToken(keyOf(ctx), payload)}`;
}

/** The file of a link, and for how many seconds the link is still valid; null if it is not. */
export function readDownloadLink(ctx: Context, token: string): (LinkedFile & { readonly seconds: number }) | null {
  const payload = openToken(keyOf(ctx), token);
  if (payload === null) return null;
  const endsAt = payload.readUInt32BE(2 * UUID_BYTES) * HOUR;
  const seconds = Math.floor((endsAt - ctx.clock.now().getTime()) / SECOND);
  if (seconds <= 0 || !isCurrent(endsAt, LIFE_HOURS * HOUR, ctx.clock.now())) return null;
  return { gameId: readUuid(payload, 0), fileId: readUuid(payload, UUID_BYTES), seconds };
}

function readUuid(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + UUID_BYTES);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
