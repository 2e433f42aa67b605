import * as contract from '@chauffeur/contract/operations/channels';
import type { AccountCaller, Context } from '../../context.ts';
import { findGame } from '../../people/games/games.sql.ts';
import { requireMember, requireVisible, unknownGame } from '../../people/games/games.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import * as beta from './beta.sql.ts';

const PAGE_SIZE = 50;

export const joinBeta = handle(contract.joinBeta, async (ctx, { caller, input }) => {
  await beta.insertMember(ctx.db, await visibleGame(ctx, caller, input.uid), caller.user.id);
  return { joined: true };
});

export const leaveBeta = handle(contract.leaveBeta, async (ctx, { caller, input }) => {
  await beta.deleteMember(ctx.db, await visibleGame(ctx, caller, input.uid), caller.user.id);
  return { joined: false };
});

export const listBetaMembers = handle(contract.listBetaMembers, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { cursor, limit = PAGE_SIZE } = input;
  const list = ['beta', game.game_id];
  const [joinedUs, userId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'text']);
  const after = joinedUs === undefined || userId === undefined ? null : { joinedUs, userId };
  const { page, last } = cutPage(await beta.listMembers(ctx.db, game.game_id, { after, limit: limit + 1 }), limit);
  return {
    members: page.map(({ user_id, name, joined_at }) => ({ user_id, name, joined_at: joined_at.toISOString() })),
    next_cursor: last === null ? null : writeCursor(list, [last.joined_us, last.user_id]),
  };
});

/** Removing a member is not a ban; they can join again. */
export const removeBetaMember = handle(contract.removeBetaMember, async (ctx, { caller, input: { uid, user_id } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  return { removed: await beta.deleteMember(ctx.db, game.game_id, user_id) };
});

async function visibleGame(ctx: Context, caller: AccountCaller, ref: string): Promise<string> {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw unknownGame();
  await requireVisible(ctx, game, caller);
  return game.game_id;
}
