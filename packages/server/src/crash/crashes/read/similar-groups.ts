import * as contract from '@chauffeur/contract/operations/crash-stacks';
import { requireMember } from '../../../people/game-access/game-access.ts';
import { readReplica } from '../../../request/read-replica.ts';
import { handle } from '../../../request/route.ts';
import { findGroup } from './group-list.sql.ts';
import { unknownGroup } from './not-found.ts';
import { findSimilar } from './similar-groups.sql.ts';

export const listSimilarGroups = handle(
  contract.listSimilarGroups,
  async (ctx, { caller, input: { uid, group_id: groupId } }) => {
    const { game } = await requireMember(ctx, caller, uid);
    const similar = await readReplica(ctx, { caller, gameId: game.game_id }, async ({ db }) => {
      const group = await findGroup(db, game.game_id, groupId);
      if (group === undefined) throw unknownGroup();
      return findSimilar(db, game.game_id, [group.group_id, ...group.members]);
    });
    return { groups: similar.map(({ last_seen, ...group }) => ({ ...group, last_seen: last_seen.toISOString() })) };
  },
);
