// Groups that may have one cause: their stacks begin in the same functions of the game.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-stacks';
import { sql } from 'kysely';
import type { AccountCaller, Context } from '../../../context.ts';
import { type Db, rows } from '../../../kernel/db.ts';
import { requireMember } from '../../games/games.ts';
import { findGroup, type GroupStatus } from './group-list.sql.ts';
import { unknownGroup } from './group-list.ts';

/** Of the groups that share one function, the newest are looked at: some function may be in all of them. */
const MOST_FOR_EACH = 200;

export async function listSimilarGroups(
  ctx: Context,
  caller: AccountCaller,
  { uid, group_id: groupId }: { uid: string; group_id: string },
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
          order by group_id desc limit ${MOST_FOR_EACH}
        ) other
        where own.game_id = ${gameId} and own.group_id = ${groupId}
        group by other.group_id
      )
      select group_id, title, reason, status, count, last_seen, shared
      from sharing join crash_groups using (group_id) where game_id = ${gameId}
      order by cardinality(shared) desc, last_seen desc limit ${LIMITS.similarGroups}`,
  );
}
