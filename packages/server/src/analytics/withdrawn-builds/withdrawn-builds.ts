// The channels of a game for developers: what each offers, and the builds that were withdrawn, with the number of
// devices that still use them.
//
// Players leave a withdrawn build when their launcher asks for updates, or when they download the game again. The counts
// are those of launch health: a device counts on the last day on which it sent events with the build.
import { WINDOW_DAYS } from '@chauffeur/contract/launch-bands';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/channels';
import type { Context } from '../../context.ts';
import { DAY, utcDayOf } from '../../kernel/clock.ts';
import { type Db, isWorkerAway } from '../../kernel/database/db.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { listOffers, listPlaces } from '../../ship/channels/channels.ts';
import { listWithdrawals, type WithdrawalRow } from '../../ship/withdrawals/withdrawals.sql.ts';
import { type LastSeenRow, readLastSeen } from '../health/health.sql.ts';

type WithdrawnBuild = OutputOf<typeof contract.listChannels>['withdrawn'][number];

const COUNTED_DAYS = 7;

export const listChannels = handle(contract.listChannels, async (ctx, { caller, input: { uid, ...page } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  const [places, withdrawn] = await Promise.all([
    listPlaces(ctx, game.game_id, page),
    listWithdrawn(ctx, game.game_id),
  ]);
  return { ...places, withdrawn };
});

export const listToolChannels = handle(contract.listToolChannels, async (ctx, { caller: { gameId } }) => {
  const [channels, withdrawn] = await Promise.all([listOffers(ctx, gameId), listWithdrawn(ctx, gameId)]);
  return { channels, withdrawn };
});

async function listWithdrawn({ db, clock }: Context, gameId: string): Promise<WithdrawnBuild[]> {
  const now = clock.now();
  const withdrawals = await listWithdrawals(db, gameId, now);
  if (withdrawals.length === 0) return [];
  const seen = await seenOf(db, gameId, daysBefore(now, COUNTED_DAYS - 1));
  const oldest = new Date(now.getTime() - WINDOW_DAYS * DAY);
  return withdrawals
    .map((row) => withdrawnBuildOf(row, seen, now))
    .filter(({ at, devices }) => new Date(at) > oldest || (devices ?? 0) > 0)
    .slice(0, LIMITS.withdrawnBuilds);
}

/** Null if no device of the game was seen, which says nothing about a build, and while a worker of Citus is away. */
async function seenOf(db: Db, gameId: string, since: string): Promise<LastSeenRow[] | null> {
  try {
    const seen = await readLastSeen(db, { gameId, since });
    return seen.length === 0 ? null : seen;
  } catch (error) {
    if (!isWorkerAway(error)) throw error;
    return null;
  }
}

function withdrawnBuildOf({ at, ...row }: WithdrawalRow, seen: LastSeenRow[] | null, now: Date): WithdrawnBuild {
  const since = countedSince(at, now);
  const after = seen?.filter(({ build_id, day }) => build_id === row.build_id && day >= since) ?? null;
  return {
    ...row,
    at: at.toISOString(),
    devices: after?.reduce((sum, { devices }) => sum + devices, 0) ?? null,
    devices_since: since,
  };
}

/**
 * The first UTC day of the count. The day of the withdrawal is left out when it is over: most devices that used the
 * build on it did so before.
 */
function countedSince(at: Date, now: Date): string {
  const [today, withdrawnOn] = [utcDayOf(now), utcDayOf(at)];
  if (withdrawnOn >= today) return today;
  const [first, next] = [daysBefore(now, COUNTED_DAYS - 1), utcDayOf(new Date(at.getTime() + DAY))];
  return next > first ? next : first;
}

function daysBefore(now: Date, days: number): string {
  return utcDayOf(new Date(now.getTime() - days * DAY));
}
