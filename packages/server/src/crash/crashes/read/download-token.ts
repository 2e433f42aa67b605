// The token in a download link: a file of a report, and when the link expires.
import { LIMITS } from '@chauffeur/contract/limits';
import type { LinkKind } from '@chauffeur/contract/operations/crash-files';
import type { Context } from '../../../context.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { deriveKey, isCurrent, openToken, signToken } from '../../../kernel/secrets/signed-token.ts';
import { perContext } from '../../../request/per-context.ts';

export type DownloadGrant = {
  kind: LinkKind;
  /** The number of the attachment; 0 for other kinds. */
  attachment: number;
  gameId: string;
  reportId: string;
  expiresAt: Date;
};

const KINDS: readonly string[] = ['stack', 'log', 'dump', 'attachment'] satisfies LinkKind[];

const keyOf = perContext(({ secret }) => deriveKey(secret, 'crash download'));

export function makeDownloadToken(
  ctx: Context,
  { kind, attachment, gameId, reportId, expiresAt }: DownloadGrant,
): string {
  const parts = [kind, gameId, reportId, expiresAt.getTime(), ...(kind === 'attachment' ? [attachment] : [])];
  return signToken(keyOf(ctx), Buffer.from(parts.join(' ')));
}

/** The file that the token allows to download; null if the token is invalid or expired. */
export function openDownloadToken(ctx: Context, token: string): DownloadGrant | null {
  const [kind = '', gameId = '', reportId = '', end, attachment = '0'] =
    openToken(keyOf(ctx), token)?.toString().split(' ') ?? [];
  if (!isKind(kind) || !isUuid(gameId) || !isUuid(reportId)) return null;
  const expiresAt = new Date(Number(end));
  const isValid = isCurrent(expiresAt.getTime(), LIMITS.crashDownloadSeconds * SECOND, ctx.clock.now());
  return isValid ? { kind, attachment: Number(attachment), gameId, reportId, expiresAt } : null;
}

function isKind(text: string): text is LinkKind {
  return KINDS.includes(text);
}
