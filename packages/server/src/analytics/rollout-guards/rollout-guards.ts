// A rollout as developers see it: both versions side by side, what the guards found, and what happens next. The figures
// are those of the last time that the job watched it (watch.job.ts).
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/rollouts';
import type { GuardName } from '@chauffeur/contract/rollout-plan';
import type { Context } from '../../context.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { handle } from '../../request/route.ts';
import { listHistory, type RolloutFigures } from '../../ship/rollouts/rollouts.sql.ts';
import { type RolloutRef, recordOf, requireRollout } from '../../ship/rollouts/rollouts.ts';
import type { CheckResult } from './guards.ts';
import { formatEntry, formatNext } from './history-text.ts';
import { readChecks } from './observe.sql.ts';

type Details = OutputOf<typeof contract.getRollout>;

export const getRollout = handle(contract.getRollout, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return detailsOf(ctx, { gameId: game.game_id, rolloutId: input.rollout_id });
});

export const getRolloutWithKey = handle(contract.getRolloutWithKey, (ctx, { caller, input }) =>
  detailsOf(ctx, { gameId: caller.gameId, rolloutId: input.rollout_id }),
);

/** Throws `notFound`. */
async function detailsOf({ db, clock }: Context, ref: RolloutRef): Promise<Details> {
  const rollout = await requireRollout(db, ref);
  const [stored, history] = await Promise.all([readChecks(db, ref), listHistory(db, ref.gameId, ref.rolloutId)]);
  const checkOf = new Map(
    stored.map(({ guard, checked_at, result }) => [
      guard,
      { guard: guard as GuardName, checked_at: checked_at.toISOString(), ...(result as CheckResult) },
    ]),
  );
  const checks = rollout.guards.flatMap(({ guard }) => checkOf.get(guard) ?? []);
  const waiting = checks.filter(({ guard, verdict }) => verdict === 'waiting' && !rollout.overruled.includes(guard));
  const figures = rollout.figures ?? NO_FIGURES;
  return {
    ...recordOf(rollout),
    measured_at: rollout.figures === null ? null : rollout.observed_until.toISOString(),
    ...figures,
    checks,
    withdrawn_devices: rollout.state === 'aborted' ? figures.side.on_it : null,
    next: formatNext(rollout, waiting, clock.now()),
    history: history.map((entry) => ({
      kind: entry.kind as Details['history'][number]['kind'],
      at: entry.at.toISOString(),
      by: entry.by,
      text: formatEntry(entry, rollout),
      groups: ((entry.data.groups ?? []) as Details['new_groups']).map(({ group_id, title, devices }) => ({
        ...{ group_id, title, devices },
      })),
    })),
  };
}

const NO_RATE = { devices: 0, rate: null, low: null, high: null };
const NO_SIDE = {
  ...{ devices: 0, on_it: 0, started: 0, booted: 0, crashed_on_boot: 0, crashed: 0 },
  band: 'unrated' as const,
  crash_free: NO_RATE,
  boot: NO_RATE,
};
const NO_FIGURES: RolloutFigures = { side: NO_SIDE, base_side: NO_SIDE, new_groups: [] };
