// A summary of a developer's games, with data from other features.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/overview';
import type { Context } from '../../context.ts';
import type { Call } from '../../request/call.ts';
import { countOpenBugs } from '../bugs/bugs.ts';
import { countNewGroups } from '../crashes/crashes.ts';
import { listGameIds } from '../games/games.ts';
import { listingBands } from '../health/health.ts';

export async function summarizeGames(
  ctx: Context,
  { caller }: Call<typeof contract.summarizeGames>,
): Promise<OutputOf<typeof contract.summarizeGames>> {
  const gameIds = await listGameIds(ctx, caller);
  const [bands, groups, bugs] = await Promise.all([
    listingBands(ctx, gameIds),
    countNewGroups(ctx, gameIds),
    countOpenBugs(ctx, gameIds),
  ]);
  return {
    games: gameIds.map((gameId) => ({
      game_uid: gameId,
      band: bands.get(gameId) ?? 'unrated',
      new_groups: groups.get(gameId) ?? 0,
      open_bugs: bugs.get(gameId) ?? 0,
    })),
  };
}
