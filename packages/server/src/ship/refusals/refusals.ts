// Refused reports and events: what games send with a build id that is unknown is refused, which players can't tell
// anyone. It is counted, so that the developer learns of it, with the id that was sent and what is wrong with it.
//
// Nothing waits for these counts: a process collects them in memory and writes them once a second in one statement. If
// that fails, they are lost.

import { LIMITS } from '@chauffeur/contract/limits';
import * as contract from '@chauffeur/contract/operations/refusals';
import type { Context } from '../../context.ts';
import { DAY, SECOND, utcDayOf } from '../../kernel/clock.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { isUuid } from '../../kernel/secrets/ids.ts';
import { requireMember } from '../../people/game-access/game-access.ts';
import type { Ids } from '../../request/client-ids.ts';
import { logRepeated } from '../../request/failures.ts';
import { perContext } from '../../request/per-context.ts';
import { handle } from '../../request/route.ts';
import { findBuilds } from '../builds/builds.sql.ts';
import { RefusalCollector, type RefusalKind } from './collector.ts';
import { diagnose, type RefFacts } from './diagnose.ts';
import * as sql from './refusals.sql.ts';
import { showRef } from './show-ref.ts';

const FLUSH_MS = SECOND;

type State = {
  readonly collector: RefusalCollector;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void> | undefined;
};

const stateOf = perContext((): State => ({ collector: new RefusalCollector(), timer: undefined, writing: undefined }));

/**
 * Counts a refusal. `ids` are what the client sent, except that slugs were replaced by the uid of their game. Never
 * throws, and costs no query: whether the game exists is only seen when the counts are written.
 */
export function noteRefusal(ctx: Context, { appId, buildId }: Ids, kind: RefusalKind, count: number): void {
  if (count <= 0 || !isUuid(appId)) return;
  const state = stateOf(ctx);
  const now = ctx.clock.now();
  const buildRef = showRef(isUuid(buildId) ? buildId.toLowerCase() : buildId);
  state.collector.note({ gameId: appId.toLowerCase(), kind, buildRef, count }, now);
  if (state.timer !== undefined || state.writing !== undefined || state.collector.isEmpty) return;
  schedule(ctx, state);
}

function schedule(ctx: Context, state: State): void {
  state.timer = setTimeout(() => {
    state.timer = undefined;
    void flush(ctx, state);
  }, FLUSH_MS);
  state.timer.unref();
}

/** Writes at once what was collected, such as when the process ends. */
export async function writeRefusals(ctx: Context): Promise<void> {
  const state = stateOf(ctx);
  await state.writing;
  clearTimeout(state.timer);
  state.timer = undefined;
  if (!state.collector.isEmpty) await write(ctx, state.collector);
}

async function flush(ctx: Context, state: State): Promise<void> {
  state.writing = write(ctx, state.collector);
  await state.writing;
  state.writing = undefined;
  if (!state.collector.isEmpty) schedule(ctx, state);
}

async function write(ctx: Context, collector: RefusalCollector): Promise<void> {
  try {
    collector.confirm(await sql.addRefusals(ctx.db, utcDayOf(ctx.clock.now()), collector.take()));
  } catch (err) {
    logRepeated(ctx, ctx.log, 'warn', { err }, 'refused reports and events were not counted');
  }
}

/** Throws `notFound`. */
export const listRefusals = handle(contract.listRefusals, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const { days = LIMITS.refusalDays } = input;
  const now = ctx.clock.now().getTime();
  const since = utcDayOf(new Date(now - (days - 1) * DAY));
  const rows = await sql.listRefused(ctx.db, game.game_id, since, LIMITS.refusalsListed);
  const facts = await readFacts(ctx, game, rows);
  const sum = (name: 'reports' | 'events') => rows.reduce((total, row) => total + row[name], 0);
  return {
    since,
    reports: sum('reports'),
    events: sum('events'),
    refusals: rows.map(({ build_ref, is_rest, reports, events, first_at, last_at }) => ({
      build_id: is_rest ? null : build_ref,
      ...(is_rest ? REST : diagnose(build_ref, facts)),
      reports,
      events,
      first_at: first_at.toISOString(),
      last_at: last_at.toISOString(),
    })),
  };
});

const REST = {
  cause: 'rest',
  problem: 'they are counted together, as there were too many different ones on one day',
  advice: 'Someone may be sending random ids. If the game sends them, let it read the id of its build from a file.',
} as const;

async function readFacts(
  { db }: Context,
  game: { game_id: string; slug: string },
  rows: readonly sql.RefusalRow[],
): Promise<RefFacts> {
  const { game_id: gameId, slug } = game;
  const refs = rows.filter(({ is_rest }) => !is_rest).map(({ build_ref }) => build_ref);
  const ids = refs.filter(isUuid);
  const [versions, builds, deleted, elsewhere] = await Promise.all([
    refs.length === 0 ? [] : sql.findVersions(db, gameId, refs),
    ids.length === 0 ? [] : findBuilds(db, gameId, ids),
    ids.length === 0 ? [] : sql.findDeletedBuilds(db, gameId, ids),
    ids.length === 0 ? [] : sql.findBuildsElsewhere(db, gameId, ids),
  ]);
  return {
    gameUid: gameId,
    slug,
    versions: new Set(versions.map(({ version }) => version)),
    builds: new Set(builds.map(({ build_id }) => build_id)),
    deleted: new Map(deleted.map((row) => [row.build_id, { version: row.version, day: utcDayOf(row.deleted_at) }])),
    elsewhere: new Set(elsewhere.map(({ build_id }) => build_id)),
  };
}

export const expireRefusalsJob = defineJob(
  'refusals:expire',
  { attempts: 5, cron: '23 5 * * *', lane: 'long', deletesOld: true },
  expireRefusals,
);

/** Counts are kept for as long as they are listed. */
export async function expireRefusals({ db, clock }: Context): Promise<void> {
  await sql.deleteRefused(db, utcDayOf(new Date(clock.now().getTime() - LIMITS.refusalDays * DAY)));
}
