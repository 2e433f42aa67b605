// The beta: players who joined it see a game's beta channel.
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/channels';
import type { AccountCaller, Caller, Context } from '../../context.ts';
import { cutPage, readCursor, writeCursor } from '../../kernel/cursor.ts';
import type { Db } from '../../kernel/db.ts';
import { findGame, requireMember, roleOf, unknownGame } from '../games/games.ts';
import * as beta from './beta.sql.ts';

const PAGE_SIZE = 50;

export async function joinBeta(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string },
): Promise<{ joined: boolean }> {
  await beta.insertMember(ctx.db, await visibleGame(ctx, caller, input.uid), caller.user.id);
  return { joined: true };
}

export async function leaveBeta(
  ctx: Context,
  caller: AccountCaller,
  input: { uid: string },
): Promise<{ joined: boolean }> {
  await beta.deleteMember(ctx.db, await visibleGame(ctx, caller, input.uid), caller.user.id);
  return { joined: false };
}

export async function listBetaMembers(
  ctx: Context,
  caller: AccountCaller,
  input: InputOf<typeof contract.listBetaMembers>,
): Promise<OutputOf<typeof contract.listBetaMembers>> {
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
}

/** The member may join again: it is no ban. */
export async function removeBetaMember(
  ctx: Context,
  caller: AccountCaller,
  { uid, user_id }: InputOf<typeof contract.removeBetaMember>,
): Promise<OutputOf<typeof contract.removeBetaMember>> {
  const { game } = await requireMember(ctx, caller, uid);
  return { removed: await beta.deleteMember(ctx.db, game.game_id, user_id) };
}

async function visibleGame(ctx: Context, caller: AccountCaller, ref: string): Promise<string> {
  const game = await findGame(ctx.db, ref);
  const hidden = game !== null && game.visibility === 'draft' && (await roleOf(ctx.db, game, caller)) === null;
  if (game === null || hidden) throw unknownGame();
  return game.game_id;
}

export async function isBetaMember(db: Db, gameId: string, caller: Caller): Promise<boolean> {
  return caller.kind === 'account' && beta.isMember(db, gameId, caller.user.id);
}
