// Finds groups that may have the same cause, because their stacks start with the same functions of the game.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/crash-stacks';
import type { Context } from '../../../context.ts';
import { requireMember } from '../../../people/games/games.ts';
import type { Call } from '../../../request/call.ts';
import { readReplica } from '../../../request/read-replica.ts';
import { findGroup } from './group-list.sql.ts';
import { unknownGroup } from './not-found.ts';
import { findSimilar } from './similar-groups.sql.ts';

export async function listSimilarGroups(
  ctx: Context,
  { caller, input: { uid, group_id: groupId } }: Call<typeof contract.listSimilarGroups>,
): Promise<OutputOf<typeof contract.listSimilarGroups>> {
  const { game } = await requireMember(ctx, caller, uid);
  const similar = await readReplica(ctx, { caller, gameId: game.game_id }, async ({ db }) => {
    const group = await findGroup(db, game.game_id, groupId);
    if (group === undefined) throw unknownGroup();
    return findSimilar(db, game.game_id, [group.group_id, ...group.members]);
  });
  return { groups: similar.map(({ last_seen, ...group }) => ({ ...group, last_seen: last_seen.toISOString() })) };
}
