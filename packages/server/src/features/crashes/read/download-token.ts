// The token in a download link: which file of which report it leads to, and until when.
import type { DownloadKind } from '@chauffeur/contract/operations/crashes';
import type { Context } from '../../../context.ts';
import { isUuid } from '../../../kernel/ids.ts';
import { perContext } from '../../../kernel/per-context.ts';
import { deriveKey, openToken, signToken } from '../../../kernel/signed-token.ts';

/** One file of one report, until `expiresAt`; the token opens nothing else. */
export type DownloadGrant = { kind: DownloadKind; gameId: string; reportId: string; expiresAt: Date };

const KINDS: readonly string[] = ['stack', 'log', 'dump'] satisfies DownloadKind[];

const keyOf = perContext(({ secret }) => deriveKey(secret, 'crash download'));

export function makeDownloadToken(ctx: Context, { kind, gameId, reportId, expiresAt }: DownloadGrant): string {
  return signToken(keyOf(ctx), Buffer.from([kind, gameId, reportId, expiresAt.getTime()].join(' ')));
}

/** What the token leads to now; null when it is not ours or its time is over. */
export function openDownloadToken(ctx: Context, token: string): DownloadGrant | null {
  const [kind = '', gameId = '', reportId = '', end] = openToken(keyOf(ctx), token)?.toString().split(' ') ?? [];
  if (!isKind(kind) || !isUuid(gameId) || !isUuid(reportId)) return null;
  const expiresAt = new Date(Number(end));
  return expiresAt > ctx.clock.now() ? { kind, gameId, reportId, expiresAt } : null;
}

function isKind(text: string): text is DownloadKind {
  return KINDS.includes(text);
}
