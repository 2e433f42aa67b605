import * as contract from '@chauffeur/contract/operations/overview';
import { devicesByDay, listingBands } from '../../analytics/health/health.ts';
import { countNewGroups } from '../../crash/crashes/crashes.ts';
import { listGameIds, requireMember } from '../../people/game-access/game-access.ts';
import { onReplica } from '../../request/read-replica.ts';
import { handle } from '../../request/route.ts';
import { downloadsByDay } from '../../ship/downloads/downloads.sql.ts';
import { countOpenBugs } from '../../shop/bugs/bugs.ts';

export const summarizeGames = handle(contract.summarizeGames, async (ctx, { caller }) => {
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
});

export const getGameActivity = handle(contract.getGameActivity, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return onReplica(ctx, { caller, gameId: game.game_id }, async (reader) => {
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
});
