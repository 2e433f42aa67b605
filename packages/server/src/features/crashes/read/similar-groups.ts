// Finds groups that may have the same cause, because their stacks start with the same functions of the game.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-stacks';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, rows } from '../../../kernel/database/db.ts';
import type { Call } from '../../../request/call.ts';
import { requireMember } from '../../games/games.ts';
import { findGroup, type GroupStatus } from './group-list.sql.ts';
import { unknownGroup } from './not-found.ts';

/** A function may be in all groups, so only the newest groups with it are compared. */
const MAX_PER_GROUP = 200;

export async function listSimilarGroups(
  ctx: Context,
  { caller, input: { uid, group_id: groupId } }: Call<typeof contract.listSimilarGroups>,
): Promise<OutputOf<typeof contract.listSimilarGroups>> {
  const { game } = await requireMember(ctx, caller, uid);
  if ((await findGroup(ctx.db, game.game_id, groupId)) === undefined) throw unknownGroup();
  const found = await findSimilar(ctx.db, game.game_id, groupId);
  return { groups: found.map(({ last_seen, ...group }) => ({ ...group, last_seen: last_seen.toISOString() })) };
}

type SimilarRow = {
  group_id: string;
  title: string;
  reason: string | null;
  status: GroupStatus;
  count: number;
  last_seen: Date;
  shared: string[];
};

function findSimilar(db: Db, gameId: string, groupId: string): Promise<SimilarRow[]> {
  return rows(
    db,
    sql<SimilarRow>`with sharing as (
        select other.group_id, array_agg(function order by function) as shared
        from crash_group_functions own cross join lateral (
          select group_id from crash_group_functions same
          where same.game_id = ${gameId} and same.function = own.function and same.group_id <> ${groupId}
          order by group_id desc limit ${MAX_PER_GROUP}
        ) other
        where own.game_id = ${gameId} and own.group_id = ${groupId}
        group by other.group_id
      )
      select group_id, title, reason, status, count, last_seen, shared
      from sharing join crash_groups using (group_id) where game_id = ${gameId}
      order by cardinality(shared) desc, last_seen desc limit ${LIMITS.similarGroups}`,
  );
}
