// The token in a download link: a file of a report, and when the link expires.
import type { DownloadKind } from '@chauffeur/contract/operations/crashes';
import type { Context } from '../../../context.ts';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { deriveKey, openToken, signToken } from '../../../kernel/secrets/signed-token.ts';
import { perContext } from '../../../request/per-context.ts';

export type DownloadGrant = { kind: DownloadKind; gameId: string; reportId: string; expiresAt: Date };

const KINDS: readonly string[] = ['stack', 'log', 'dump'] satisfies DownloadKind[];

const keyOf = perContext(({ secret }) => deriveKey(secret, 'crash download'));

export function makeDownloadToken(ctx: Context, { kind, gameId, reportId, expiresAt }: DownloadGrant): string {
  return signToken(keyOf(ctx), Buffer.from([kind, gameId, reportId, expiresAt.getTime()].join(' ')));
}

/** The file that the token allows to download; null if the token is invalid or expired. */
export function openDownloadToken(ctx: Context, token: string): DownloadGrant | null {
  const [kind = '', gameId = '', reportId = '', end] = openToken(keyOf(ctx), token)?.toString().split(' ') ?? [];
  if (!isKind(kind) || !isUuid(gameId) || !isUuid(reportId)) return null;
  const expiresAt = new Date(Number(end));
  return expiresAt > ctx.clock.now() ? { kind, gameId, reportId, expiresAt } : null;
}

function isKind(text: string): text is DownloadKind {
  return KINDS.includes(text);
}
