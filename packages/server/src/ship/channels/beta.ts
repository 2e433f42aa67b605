import * as contract from '@chauffeur/contract/operations/channels';
import { sql } from 'kysely';
import type { AccountCaller, Context } from '../../context.ts';
import { changed, type Db, row, rows } from '../../kernel/database/db.ts';
import { findGame } from '../../people/game-access/game-access.sql.ts';
import { requireMember, requireVisible, unknownGame } from '../../people/game-access/game-access.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';

const PAGE_SIZE = 50;

export const joinBeta = handle(contract.joinBeta, async (ctx, { caller, input }) => {
  await insertMember(ctx.db, await visibleGame(ctx, caller, input.uid), caller.user.id);
  return { joined: true };
});

export const leaveBeta = handle(contract.leaveBeta, async (ctx, { caller, input }) => {
  await deleteMember(ctx.db, await visibleGame(ctx, caller, input.uid), caller.user.id);
  return { joined: false };
});

export const listBetaMembers = handle(contract.listBetaMembers, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { cursor, limit = PAGE_SIZE } = input;
  const list = ['beta', game.game_id];
  const [joinedUs, userId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'text']);
  const after = joinedUs === undefined || userId === undefined ? null : { joinedUs, userId };
  const { page, last } = cutPage(await listMembers(ctx.db, game.game_id, { after, limit: limit + 1 }), limit);
  return {
    members: page.map(({ user_id, name, joined_at }) => ({ user_id, name, joined_at: joined_at.toISOString() })),
    next_cursor: last === null ? null : writeCursor(list, [last.joined_us, last.user_id]),
  };
});

/** Removes a member, who can join again. */
export const removeBetaMember = handle(contract.removeBetaMember, async (ctx, { caller, input: { uid, user_id } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  return { removed: await deleteMember(ctx.db, game.game_id, user_id) };
});

async function visibleGame(ctx: Context, caller: AccountCaller, ref: string): Promise<string> {
  const game = await findGame(ctx.db, ref);
  if (game === null) throw unknownGame();
  await requireVisible(ctx, game, caller);
  return game.game_id;
}

export async function insertMember(db: Db, gameId: string, userId: string): Promise<void> {
  await changed(
    db,
    sql`insert into beta_members (game_id, user_id) values (${gameId}, ${userId}) on conflict do nothing`,
  );
}

/** Returns whether the user was a member. */
export async function deleteMember(db: Db, gameId: string, userId: string): Promise<boolean> {
  const deleted = await changed(db, sql`delete from beta_members where game_id = ${gameId} and user_id = ${userId}`);
  return deleted > 0;
}

export async function isMember(db: Db, gameId: string, userId: string): Promise<boolean> {
  return (
    (await row(db, sql`select 1 from beta_members where game_id = ${gameId} and user_id = ${userId}`)) !== undefined
  );
}

export type BetaMember = {
  user_id: string;
  name: string;
  joined_at: Date;
  /** The time of joining in microseconds since 1970. */
  joined_us: string;
};
export type MemberPosition = { joinedUs: string; userId: string };

const joinedUs = sql`(extract(epoch from joined_at) * 1000000)::bigint`;

/** Members after the position `after`, most recent first. */
function listMembers(
  db: Db,
  gameId: string,
  { after, limit }: { after: MemberPosition | null; limit: number },
): Promise<BetaMember[]> {
  const afterCursor =
    after === null
      ? sql`true`
      : sql`(joined_at, user_id) < (to_timestamp(0) + ${after.joinedUs}::bigint * interval '1 microsecond', ${after.userId})`;
  return rows(
    db,
    sql<BetaMember>`select user_id, users.name, joined_at, ${joinedUs}::text as joined_us
      from beta_members join users on users.id = user_id
      where game_id = ${gameId} and ${afterCursor} order by joined_at desc, user_id desc limit ${limit}`,
  );
}
