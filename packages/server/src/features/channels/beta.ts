// The beta: players who joined it see a game's beta channel.
import type { AccountCaller, Caller, Context } from '../../context.ts';
import type { Db } from '../../kernel/db.ts';
import { findGame, roleOf, unknownGame } from '../games/games.ts';
import * as beta from './beta.sql.ts';

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

async function visibleGame(ctx: Context, caller: AccountCaller, ref: string): Promise<string> {
  const game = await findGame(ctx.db, ref);
  const hidden = game !== null && game.visibility === 'draft' && (await roleOf(ctx.db, game, caller)) === null;
  if (game === null || hidden) throw unknownGame();
  return game.game_id;
}

export async function isBetaMember(db: Db, gameId: string, caller: Caller): Promise<boolean> {
  return caller.kind === 'account' && beta.isMember(db, gameId, caller.user.id);
}
