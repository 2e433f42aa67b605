// Counts what Sentry's SDKs send besides reports, by UTC day: what was dropped and why, what clients discarded, and keys
// that are wrong. Nothing waits for these counts: a process collects them in memory and writes them once a second. If
// that fails, they are lost.
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { DAY, SECOND, utcDayOf } from '../../../kernel/clock.ts';
import { changed, type Db } from '../../../kernel/database/db.ts';
import { defineJob } from '../../../kernel/jobs/jobs.ts';
import { logRepeated } from '../../../request/failures.ts';
import { perContext } from '../../../request/per-context.ts';

/** Types and reasons are from fixed lists, never what a client made up. */
export type SentryCount = {
  readonly gameId: string;
  readonly dsnId: string;
  readonly what: 'dropped' | 'discarded' | 'message' | 'repeated';
  readonly type: string;
  readonly reason: string;
};

type WrongKey = { readonly projectNo: number; readonly keyStart: string };

type Collected = { readonly counts: Map<string, number>; readonly wrongKeys: Map<string, number> };

/** Far more than there are kinds. Further ones of a second aren't counted. */
const MAX_COLLECTED = 10_000;
const FLUSH_MS = SECOND;
/** The digits of a wrong key that are kept, enough to find it in the settings of a game. */
const KEY_DIGITS = 8;

const stateOf = perContext(() => ({
  collected: { counts: new Map(), wrongKeys: new Map() } as Collected,
  timer: undefined as NodeJS.Timeout | undefined,
  writing: Promise.resolve(),
}));

/** Costs no query. */
export function countSentry(ctx: Context, item: SentryCount, quantity = 1): void {
  add(ctx, stateOf(ctx).collected.counts, JSON.stringify(item), quantity);
}

/** Costs no query: whether there is such a game is only seen when the counts are written. */
export function countWrongKey(ctx: Context, { projectNo, key }: { projectNo: number; key: string }): void {
  const item: WrongKey = { projectNo, keyStart: key.slice(0, KEY_DIGITS).toLowerCase() };
  add(ctx, stateOf(ctx).collected.wrongKeys, JSON.stringify(item), 1);
}

function add(ctx: Context, to: Map<string, number>, key: string, quantity: number): void {
  if (quantity <= 0 || (to.size >= MAX_COLLECTED && !to.has(key))) return;
  to.set(key, (to.get(key) ?? 0) + quantity);
  const state = stateOf(ctx);
  state.timer ??= setTimeout(() => void writeSentryCounts(ctx), FLUSH_MS).unref();
}

/** Writes at once what was collected, such as when the process ends. */
export async function writeSentryCounts(ctx: Context): Promise<void> {
  const state = stateOf(ctx);
  clearTimeout(state.timer);
  state.timer = undefined;
  const { counts, wrongKeys } = state.collected;
  state.collected = { counts: new Map(), wrongKeys: new Map() };
  state.writing = state.writing.then(() => write(ctx, { counts, wrongKeys }));
  await state.writing;
}

async function write(ctx: Context, { counts, wrongKeys }: Collected): Promise<void> {
  const now = ctx.clock.now();
  try {
    if (counts.size > 0)
      await addCounts(
        ctx.db,
        utcDayOf(now),
        [...counts].map(([item, count]) => ({ ...(JSON.parse(item) as SentryCount), count })),
      );
    if (wrongKeys.size > 0)
      await addWrongKeys(
        ctx.db,
        now,
        [...wrongKeys].map(([item, count]) => ({ ...(JSON.parse(item) as WrongKey), count })),
      );
  } catch (err) {
    logRepeated(ctx, ctx.log, 'warn', { err }, "what Sentry's SDKs sent was not counted");
  }
}

async function addCounts(db: Db, day: string, items: readonly (SentryCount & { count: number })[]): Promise<void> {
  const column = (name: keyof SentryCount | 'count') => items.map((item) => item[name]);
  await changed(
    db,
    sql`insert into sentry_counts as counted (game_id, day, dsn_id, what, type, reason, count)
      select game_id, ${day}::date, dsn_id, what, type, reason, sum(added)
      from unnest(${column('gameId')}::uuid[], ${column('dsnId')}::uuid[], ${column('what')}::text[],
          ${column('type')}::text[], ${column('reason')}::text[], ${column('count')}::bigint[])
          as given (game_id, dsn_id, what, type, reason, added) join all_games using (game_id)
      group by game_id, dsn_id, what, type, reason order by game_id, dsn_id, what, type, reason
      on conflict (game_id, day, dsn_id, what, type, reason) do update set count = counted.count + excluded.count`,
  );
}

/** Keys of a game that are kept apart for each day; a few more if several processes add them at once. */
const MAX_WRONG_KEYS = 100;

async function addWrongKeys(db: Db, now: Date, items: readonly (WrongKey & { count: number })[]): Promise<void> {
  const day = utcDayOf(now);
  await changed(
    db,
    sql`with given as (
        select game_id, key_start, sum(added) as added
        from unnest(${items.map(({ projectNo }) => projectNo)}::integer[], ${items.map(({ keyStart }) => keyStart)}::text[],
          ${items.map(({ count }) => count)}::bigint[]) as given (project_no, key_start, added)
          join dsn_projects using (project_no) group by game_id, key_start
      ), ranked as (
        select game_id, added, case when exists (select from sentry_wrong_keys known
            where known.game_id = given.game_id and known.day = ${day}::date and known.key_start = given.key_start)
          or (select count(*) from sentry_wrong_keys known where known.game_id = given.game_id and known.day = ${day}::date)
            + row_number() over (partition by game_id order by key_start) <= ${MAX_WRONG_KEYS} then key_start else '' end
          as shown
        from given
      )
      insert into sentry_wrong_keys as counted (day, game_id, key_start, count, last_at)
      select ${day}::date, game_id, shown, sum(added), ${now}::timestamptz from ranked
      group by game_id, shown order by game_id, shown
      on conflict (game_id, day, key_start) do update
        set count = counted.count + excluded.count, last_at = excluded.last_at`,
  );
}

/** Pages show these days. */
const KEPT_DAYS = 90;

export const sweepSentryCountsJob = defineJob(
  'sentry:sweep-counts',
  { attempts: 3, cron: '51 4 * * *', deletesOld: true },
  sweepSentryCounts,
);

export async function sweepSentryCounts({ db, clock }: Context): Promise<void> {
  const before = utcDayOf(new Date(clock.now().getTime() - KEPT_DAYS * DAY));
  await changed(db, sql`delete from sentry_counts where day < ${before}::date`);
  await changed(db, sql`delete from sentry_wrong_keys where day < ${before}::date`);
}
