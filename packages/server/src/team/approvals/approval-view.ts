// How an approval is shown to its requester and to the owners.
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/approvals';
import type { ApprovalState } from '@chauffeur/contract/operations/approvals';
import type { Context } from '../../context.ts';
import type { Game } from '../../people/game-access/game-access.ts';
import { requireApplicable } from './actions.ts';
import type { ApprovalRow } from './approvals.sql.ts';

type ApprovalView = OutputOf<typeof contract.getApproval>;

export function stateOf(row: Pick<ApprovalRow, 'state' | 'expires_at'>, now: Date): ApprovalState {
  return row.state === 'pending' && row.expires_at <= now ? 'expired' : row.state;
}

/** The author of the action in histories. */
export function moverOf({ asked_by, via }: Pick<ApprovalRow, 'asked_by' | 'via'>, approvedBy: string): string {
  return `${asked_by} through ${via}, approved by ${approvedBy}`;
}

export function ticketOf(ctx: Context, row: ApprovalRow) {
  return {
    uid: row.approval_id,
    action: row.action,
    summary: row.summary,
    confirm_url: `${ctx.publicUrl}/approve/${row.approval_id}`,
    expires_at: row.expires_at.toISOString(),
  };
}

/** Shows the request and its requester. */
export function requestOf(ctx: Context, row: ApprovalRow, game: Pick<Game, 'game_id' | 'slug' | 'name'>) {
  return {
    ...ticketOf(ctx, row),
    game: { game_uid: game.game_id, slug: game.slug, name: game.name },
    asked_by: row.asked_by,
    via: row.via,
    asked_at: row.asked_at.toISOString(),
  };
}

export async function approvalViewOf(
  ctx: Context,
  row: ApprovalRow,
  game: Game,
  mayDecide: boolean,
): Promise<ApprovalView> {
  const status = stateOf(row, ctx.clock.now());
  return {
    ...requestOf(ctx, row, game),
    status,
    ...(status === 'pending' ? await preview(ctx, row, game) : { consequences: [], release: null, problem: null }),
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
    may_decide: mayDecide,
    result: row.result,
  };
}

async function preview(ctx: Context, row: ApprovalRow, game: Game) {
  try {
    const { consequences, release } = await requireApplicable(ctx, ctx.db, row, game);
    return {
      consequences: [...consequences],
      release: release === undefined ? null : { ...release, replaced: [...release.replaced] },
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { consequences: [], release: null, problem: error.message };
  }
}
