// A summary of a developer's games, with data from other features.
import type { OutputOf } from '@chauffeur/contract/operation';
import type * as contract from '@chauffeur/contract/operations/overview';
import { devicesByDay, listingBands } from '../../analytics/health/health.ts';
import type { Context } from '../../context.ts';
import { countNewGroups } from '../../crash/crashes/crashes.ts';
import { listGameIds, requireMember } from '../../people/games/games.ts';
import type { Call } from '../../request/call.ts';
import { readReplica } from '../../request/read-replica.ts';
import { downloadsByDay } from '../../ship/downloads/downloads.ts';
import { countOpenBugs } from '../../shop/bugs/bugs.ts';

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

export async function getGameActivity(
  ctx: Context,
  { caller, input }: Call<typeof contract.getGameActivity>,
): Promise<OutputOf<typeof contract.getGameActivity>> {
  const { game } = await requireMember(ctx, caller, input.uid);
  return readReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
    const { since, crashesSince, days } = await devicesByDay(reader, game.game_id);
    const downloads = new Map(
      (await downloadsByDay(reader.db, game.game_id, since)).map(({ day, count }) => [day, count]),
    );
    const devices = new Map(days.map((day) => [day.day, day]));
    return {
      crashes_since: crashesSince,
      days: [...new Set([...downloads.keys(), ...devices.keys()])].sort().map((day) => ({
        day,
        downloads: downloads.get(day) ?? 0,
        devices: devices.get(day)?.devices ?? 0,
        crashed_devices: devices.get(day)?.crashed_devices ?? 0,
      })),
    };
  });
}
