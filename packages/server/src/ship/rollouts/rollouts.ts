// Rollouts: a channel still points at one build for each platform, and a rollout offers the builds of a newer version to
// a share of devices (shop/updates).
//
// A rollout is in one of these states, and leaves the first two once:
//
// - `running`: devices within the share are offered the version. The share grows with the steps.
// - `paused`: by a person or a guard. Devices that have the version keep it, and no others get it.
// - `finished`: the version was promoted on the channel.
// - `aborted`: the version was withdrawn, and its devices are offered what the channel offers.
// - `superseded`: the channel moved in another way on one of the platforms, or a build was deleted.
//
// Each change locks the pointers of the rollout's platforms, in the order of all moves, and then its row. Guards are in
// analytics/rollout-guards, because they compare devices and crashes.
import { errors } from '@chauffeur/contract/errors';
import { formatPlatform } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/rollouts';
import {
  DEFAULT_MIN_DEVICES,
  DEFAULT_STEPS,
  findStepProblem,
  formatSteps,
  GUARD_NAMES,
} from '@chauffeur/contract/rollout-plan';
import type { Context } from '../../context.ts';
import { type Db, type Tx, transact } from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import { auditChange } from '../../request/audit.ts';
import { cutPage, readCursor, writeCursor } from '../../request/cursor.ts';
import { answer } from '../../request/perform.ts';
import { handle } from '../../request/route.ts';
import type { Build } from '../builds/builds.ts';
import * as channels from '../channels/channels.sql.ts';
import {
  isExpired,
  isNewer,
  moveTo,
  nameOf,
  requireOfferedBuild,
  requireOfferedVersion,
} from '../channels/channels.ts';
import { endRollout, insertHistory, type SupersededBy } from '../channels/rollout-ends.sql.ts';
import { stepEndOf, stepOfShare } from '../rollout-schedule/rollout-schedule.ts';
import * as sql from './rollouts.sql.ts';

export type { SupersededBy } from '../channels/rollout-ends.sql.ts';
export type Rollout = sql.RolloutRow;
type RolloutPage = OutputOf<typeof contract.listRollouts>;
type RolloutRecord = RolloutPage['rollouts'][number];
type Status = OutputOf<typeof contract.startRollout>;
type ListInput = Omit<InputOf<typeof contract.listRollouts>, 'uid'>;

export type RolloutInput = Omit<InputOf<typeof contract.startRollout>, 'uid'>;
export type RolloutRef = { readonly gameId: string; readonly rolloutId: string };
/** Who makes a change, as the history names them. */
export type Changer = { readonly by: string; readonly now: Date };

const PAGE_SIZE = 20;

export const listRollouts = handle(contract.listRollouts, async (ctx, { caller, input: { uid, ...input } }) => {
  const { game } = await requireMember(ctx, caller, uid);
  return listPage(ctx.db, game.game_id, input);
});

export const listRolloutsWithKey = handle(contract.listRolloutsWithKey, (ctx, { caller, input }) =>
  listPage(ctx.db, caller.gameId, input),
);

async function listPage(
  db: Db,
  gameId: string,
  { cursor, limit = PAGE_SIZE, channel, version, state }: ListInput,
): Promise<RolloutPage> {
  const list = ['rollouts', gameId, { channel, version, state }];
  const [startedUs, rolloutId] = cursor === undefined ? [] : readCursor(list, cursor, ['microseconds', 'uuid']);
  const after = startedUs === undefined || rolloutId === undefined ? null : { startedUs, rolloutId };
  const states = state === undefined ? undefined : state === 'active' ? ['running', 'paused'] : [state];
  const filters = { channel, version: version?.trim(), states };
  const found = await sql.listRollouts(db, gameId, filters, { after, limit: limit + 1 });
  const { page, last } = cutPage(found, limit);
  return {
    rollouts: page.map(recordOf),
    next_cursor: last === null ? null : writeCursor(list, [last.started_us, last.rollout_id]),
  };
}

function statusOf(rollout: Rollout): Status {
  const { rollout_id, channel, version, state, share, step } = rollout;
  return {
    ...{ rollout_id, channel, version, state, share, step },
    next_step_at: stepEndOf(rollout)?.toISOString() ?? null,
  };
}

export function recordOf(rollout: Rollout): RolloutRecord {
  const { steps, guards, overruled, min_devices } = rollout;
  return {
    ...statusOf(rollout),
    ...{ steps, min_devices },
    builds: rollout.builds.map(({ base_move_id: _, ...build }) => build),
    guards: guards.map((guard) => ({ ...guard, overruled: overruled.includes(guard.guard) })),
    started_at: rollout.started_at.toISOString(),
    started_by: rollout.started_by,
    ended_at: rollout.ended_at?.toISOString() ?? null,
  };
}

/** The running and paused rollouts of a game. */
export async function activeRollouts(db: Db, gameId: string): Promise<RolloutRecord[]> {
  const found = await sql.listRollouts(
    db,
    gameId,
    { states: ['running', 'paused'] },
    { after: null, limit: LIMITS.pageSize },
  );
  return found.map(recordOf);
}

/** Throws `notFound`. */
export async function requireRollout(db: Db, { gameId, rolloutId }: RolloutRef): Promise<Rollout> {
  const rollout = await sql.findRollout(db, gameId, rolloutId);
  if (rollout === undefined) throw errors.notFound('rollout_id: this game has no such rollout.');
  return rollout;
}

export const startRollout = handle(contract.startRollout, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const by = { by: caller.user.name, now: ctx.clock.now() };
  return answer(201, await transact(ctx.db, (tx) => startWithin(tx, game.game_id, input, by)));
});

export const startRolloutWithKey = handle(contract.startRolloutWithKey, async (ctx, { caller, input }) => {
  const by = { by: nameOf(caller), now: ctx.clock.now() };
  return answer(201, await transact(ctx.db, (tx) => startWithin(tx, caller.gameId, input, by)));
});

/**
 * Starts a rollout within a transaction, on all platforms or on none. Throws `invalidRollout`, `unknownBuild`,
 * `notClean` and `rolloutConflict`.
 */
export async function startWithin(tx: Tx, gameId: string, input: RolloutInput, { by, now }: Changer): Promise<Status> {
  const { steps, guards, minDevices } = planOf(input);
  const { channel } = input;
  const builds = await requireOfferedVersion(tx, { ...input, gameId });
  await channels.lockPointers(
    tx,
    builds.map(({ os, arch }) => ({ gameId, channel, os, arch })),
  );
  const bases = await requireBases(tx, gameId, channel, builds, now);
  const rolloutId = newId();
  await sql.insertRollout(tx, {
    game_id: gameId,
    rollout_id: rolloutId,
    channel,
    version: builds[0]!.version,
    steps: steps.map(({ share, hours }) => (hours === undefined ? { share } : { share, hours })),
    share: steps[0]!.share,
    guards,
    min_devices: minDevices,
    started_by: by,
    now,
    builds: builds.map(({ build_id, os, arch }, index) => ({ build_id, os, arch, ...bases[index]! })),
  });
  await insertHistory(tx, { gameId, rolloutId, kind: 'started', at: now, by, data: { share: steps[0]!.share } });
  auditChange('rollout', null, { version: builds[0]!.version, channel, steps: formatSteps(steps) });
  return statusOf(await requireRollout(tx, { gameId, rolloutId }));
}

/** Fills in the defaults. Throws `invalidRollout`. */
export function planOf({
  steps = [...DEFAULT_STEPS],
  guards,
  min_devices: minDevices = DEFAULT_MIN_DEVICES,
}: RolloutInput) {
  const problem = findStepProblem(steps);
  if (problem !== null) throw errors.invalidRollout(problem);
  const chosen: NonNullable<RolloutInput['guards']> = guards ?? GUARD_NAMES.map((guard) => ({ guard }));
  if (new Set(chosen.map(({ guard }) => guard)).size < chosen.length)
    throw errors.invalidRollout('guards: name each guard once.');
  const settings = chosen.map(({ guard, action = 'pause', tolerance = 0 }) => ({ guard, action, tolerance }));
  return { steps, guards: settings, minDevices };
}

/**
 * What the channel offers now on the platforms of the builds, in their order. Throws `rolloutConflict` unless all of it
 * is older than the builds, and no rollout is active there.
 */
export async function requireBases(
  db: Db,
  gameId: string,
  channel: string,
  builds: readonly Build[],
  now: Date,
): Promise<Omit<sql.RolloutBuildRow, 'os' | 'arch' | 'build_id'>[]> {
  const [active] = await sql.findActive(db, gameId, channel, builds);
  if (active !== undefined)
    throw errors.rolloutConflict(
      `${active.version} is already being rolled out on ${channel} for ${platformOf(active)}. Finish or abort that rollout first.`,
    );
  const bases = [];
  for (const build of builds) {
    await requireOfferedBuild(db, gameId, build.build_id);
    const pointer = await channels.findPointer(db, { gameId, channel, os: build.os, arch: build.arch });
    const place = `${channel} on ${formatPlatform(build)}`;
    if (pointer === undefined || pointer.deleted || isExpired(pointer, now))
      throw errors.rolloutConflict(
        `${place} offers nothing, so there is nothing to compare ${build.version} with. Promote it there, or name the other platforms.`,
      );
    if (!isNewer(build, pointer))
      throw errors.rolloutConflict(
        `${place} offers ${pointer.version}, which is not older than this build of ${build.version}. Promote the version, or name the other platforms.`,
      );
    bases.push({
      base_build_id: pointer.build_id,
      base_version: pointer.version,
      base_move_id: pointer.move_id,
    });
  }
  return bases;
}

function platformOf(platform: { os: string; arch: string }): string {
  return formatPlatform(platform as Parameters<typeof formatPlatform>[0]);
}

/**
 * Locks a running or paused rollout and passes it to `work`, whose changes of it are stored. Throws `notFound`, and
 * `rolloutConflict` if it has ended.
 */
export async function changeWithin<T>(
  tx: Tx,
  { gameId, rolloutId }: RolloutRef,
  work: (rollout: Rollout) => Promise<T>,
): Promise<{ status: Status; result: T }> {
  const { channel, builds } = await requireRollout(tx, { gameId, rolloutId });
  await channels.lockPointers(
    tx,
    builds.map(({ os, arch }) => ({ gameId, channel, os, arch })),
  );
  const rollout = await sql.lockRollout(tx, gameId, rolloutId);
  if (rollout === undefined) throw errors.notFound('rollout_id: this game has no such rollout.');
  if (rollout.state !== 'running' && rollout.state !== 'paused')
    throw errors.rolloutConflict(`${ENDED[rollout.state]} Nothing was changed.`);
  const before = summaryOf(rollout);
  const result = await work(rollout);
  const after = await requireRollout(tx, { gameId, rolloutId });
  auditChange('rollout', before, summaryOf(after));
  return { status: statusOf(after), result };
}

const ENDED = {
  finished: 'The rollout was finished.',
  aborted: 'The rollout was aborted.',
  superseded: 'The rollout has ended because the channel moved or a build was deleted.',
} as const;

/** What the audit log shows of a rollout. */
function summaryOf({ version, channel, state, share }: Rollout) {
  return { version, channel, state, share };
}

type Note = { readonly kind: string; readonly data?: object };

async function save(tx: Tx, rollout: Rollout, { by, now }: Changer, { kind, data = {} }: Note): Promise<void> {
  await sql.updateRollout(tx, rollout);
  const { game_id: gameId, rollout_id: rolloutId } = rollout;
  await insertHistory(tx, { gameId, rolloutId, kind, at: now, by, data });
}

/** Throws `rolloutConflict` if it is paused already. `data` is for the history. */
export async function pauseWithin(tx: Tx, ref: RolloutRef, changer: Changer, data: object = {}): Promise<Status> {
  const { status } = await changeWithin(tx, ref, async (rollout) => {
    if (rollout.state === 'paused') throw errors.rolloutConflict('The rollout is paused already.');
    await save(tx, { ...rollout, state: 'paused', paused_at: changer.now }, changer, { kind: 'paused', data });
  });
  return status;
}

/**
 * Resumes a paused rollout. Guards that found the version worse don't stop it again. Throws `rolloutConflict` if it is
 * not paused.
 */
export async function resumeWithin(tx: Tx, ref: RolloutRef, changer: Changer): Promise<Status> {
  const { status } = await changeWithin(tx, ref, async (rollout) => {
    if (rollout.state === 'running') throw errors.rolloutConflict('The rollout is running, not paused.');
    const { paused_at: pausedAt, paused_ms: pausedMs, guards } = rollout;
    const worse = await sql.listWorse(tx, ref.gameId, ref.rolloutId);
    const overruled = guards.map(({ guard }) => guard).filter((guard) => worse.includes(guard));
    const resumed: Rollout = {
      ...rollout,
      state: 'running',
      paused_at: null,
      paused_ms: pausedMs + Math.max(0, changer.now.getTime() - (pausedAt ?? changer.now).getTime()),
      overruled: [...new Set([...rollout.overruled, ...overruled])],
    };
    await save(tx, resumed, changer, { kind: 'resumed', data: { overruled } });
  });
  return status;
}

/** Offers the version to more devices. Throws `rolloutConflict` if these are not more than now. */
export async function shareWithin(tx: Tx, ref: RolloutRef, share: number, changer: Changer): Promise<Status> {
  const { status } = await changeWithin(tx, ref, async (rollout) => {
    if (share <= rollout.share)
      throw errors.rolloutConflict(
        `share: the version is offered to ${rollout.share}% of devices already, and a share only grows. Pause or abort the rollout instead.`,
      );
    await save(tx, atShare(rollout, share, changer.now), changer, {
      kind: 'share',
      data: { share, before: rollout.share },
    });
  });
  return status;
}

/** The time of the step begins again if the share belongs to a later step. */
function atShare(rollout: Rollout, share: number, now: Date): Rollout {
  const step = stepOfShare(rollout.steps, rollout.step, share);
  if (step === rollout.step) return { ...rollout, share };
  return { ...rollout, ...stepStart(step, now), paused_at: rollout.paused_at && now, share };
}

function stepStart(step: number, now: Date) {
  return { step, step_since: now, paused_ms: 0, stall_alerted: false };
}

/** Goes on to the next step; at 100%, finishes the rollout. Does nothing unless the time of this step is over. */
export async function advanceWithin(tx: Tx, ref: RolloutRef, changer: Changer): Promise<Status> {
  const { status } = await changeWithin(tx, ref, async (rollout) => {
    const end = stepEndOf(rollout);
    if (end === null || end > changer.now) return;
    const next = rollout.steps[rollout.step + 1]!;
    if (next.share === 100) return finish(tx, rollout, changer);
    const share = Math.max(rollout.share, next.share);
    const stepped = { ...rollout, ...stepStart(rollout.step + 1, changer.now), share };
    await save(tx, stepped, changer, { kind: 'step', data: { share, before: rollout.share } });
  });
  return status;
}

/** Notes once that the step waits for devices. Throws `rolloutConflict` if that was noted before. */
export async function noteStallWithin(tx: Tx, ref: RolloutRef, changer: Changer, data: object): Promise<void> {
  await changeWithin(tx, ref, async (rollout) => {
    if (rollout.stall_alerted) throw errors.rolloutConflict('The step already waits for devices.');
    await save(tx, { ...rollout, stall_alerted: true }, changer, { kind: 'waiting', data });
  });
}

/** Promotes the version on the channel. Throws `unknownBuild` and `notClean`. */
export async function finishWithin(tx: Tx, ref: RolloutRef, changer: Changer): Promise<Status> {
  const { status } = await changeWithin(tx, ref, (rollout) => finish(tx, rollout, changer));
  return status;
}

async function finish(tx: Tx, rollout: Rollout, { by, now }: Changer): Promise<void> {
  const { game_id: gameId, rollout_id: rolloutId, channel, version, share, started_by } = rollout;
  const builds: Build[] = [];
  for (const { build_id } of rollout.builds) builds.push(await requireOfferedBuild(tx, gameId, build_id));
  // Ended before the moves, which would otherwise supersede it.
  await endRollout(tx, gameId, rolloutId, { state: 'finished', by, now, data: { share } });
  const movedBy = by === SCHEDULE ? `${started_by} (rollout)` : by;
  await moveTo(tx, builds, { gameId, channel, movedBy, now });
  auditChange('version', null, version);
}

/** The name in the history of steps that begin by themselves. */
export const SCHEDULE = 'schedule';
export const GUARD = 'guard';

/** Withdraws the version from the devices. `data` is for the history. */
export async function abortWithin(tx: Tx, ref: RolloutRef, { by, now }: Changer, data: object = {}): Promise<Status> {
  const { status } = await changeWithin(tx, ref, async ({ share }) => {
    await endRollout(tx, ref.gameId, ref.rolloutId, { state: 'aborted', by, now, data: { share, ...data } });
  });
  return status;
}

/** Ends a rollout whose channel has expired on a platform. */
export async function expireWithin(tx: Tx, ref: RolloutRef, now: Date): Promise<void> {
  const data: SupersededBy = { reason: 'expired' };
  await changeWithin(tx, ref, async () => {
    await endRollout(tx, ref.gameId, ref.rolloutId, { state: 'superseded', by: SCHEDULE, now, data });
  });
}

type Change = (tx: Tx, ref: RolloutRef, changer: Changer) => Promise<Status>;
type RolloutCall = { readonly gameId: string; readonly rolloutId: string; readonly by: string };

function change(ctx: Context, { gameId, rolloutId, by }: RolloutCall, work: Change): Promise<Status> {
  return transact(ctx.db, (tx) => work(tx, { gameId, rolloutId }, { by, now: ctx.clock.now() }));
}

export const pauseRollout = handle(contract.pauseRollout, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return change(ctx, { gameId: game.game_id, rolloutId: input.rollout_id, by: caller.user.name }, pauseWithin);
});

export const resumeRollout = handle(contract.resumeRollout, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return change(ctx, { gameId: game.game_id, rolloutId: input.rollout_id, by: caller.user.name }, resumeWithin);
});

export const setRolloutShare = handle(contract.setRolloutShare, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const call = { gameId: game.game_id, rolloutId: input.rollout_id, by: caller.user.name };
  return change(ctx, call, (tx, ref, changer) => shareWithin(tx, ref, input.share, changer));
});

export const finishRollout = handle(contract.finishRollout, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return change(ctx, { gameId: game.game_id, rolloutId: input.rollout_id, by: caller.user.name }, finishWithin);
});

export const abortRollout = handle(contract.abortRollout, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return change(ctx, { gameId: game.game_id, rolloutId: input.rollout_id, by: caller.user.name }, abortWithin);
});

export const pauseRolloutWithKey = handle(contract.pauseRolloutWithKey, (ctx, { caller, input }) =>
  change(ctx, { gameId: caller.gameId, rolloutId: input.rollout_id, by: nameOf(caller) }, pauseWithin),
);

export const resumeRolloutWithKey = handle(contract.resumeRolloutWithKey, (ctx, { caller, input }) =>
  change(ctx, { gameId: caller.gameId, rolloutId: input.rollout_id, by: nameOf(caller) }, resumeWithin),
);

export const setRolloutShareWithKey = handle(contract.setRolloutShareWithKey, (ctx, { caller, input }) => {
  const call = { gameId: caller.gameId, rolloutId: input.rollout_id, by: nameOf(caller) };
  return change(ctx, call, (tx, ref, changer) => shareWithin(tx, ref, input.share, changer));
});

export const finishRolloutWithKey = handle(contract.finishRolloutWithKey, (ctx, { caller, input }) =>
  change(ctx, { gameId: caller.gameId, rolloutId: input.rollout_id, by: nameOf(caller) }, finishWithin),
);

export const abortRolloutWithKey = handle(contract.abortRolloutWithKey, (ctx, { caller, input }) =>
  change(ctx, { gameId: caller.gameId, rolloutId: input.rollout_id, by: nameOf(caller) }, abortWithin),
);
