// The SQL that brings reports and their files in.

import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashSource } from '@chauffeur/contract/operations/crashes';
import { type RawBuilder, sql } from 'kysely';
import { arrayLiteral } from '../../../kernel/array-literal.ts';
import { changed, type Db, keepPlan, onlyRow, row } from '../../../kernel/db.ts';
import { groupMessagesJob, processCrashJob } from '../jobs.ts';
import { type DailyLimits, PAST_LIMIT, type UsedToday } from './daily-limits.ts';
import { OMISSIONS_KEY } from './forms/facts.ts';

/** A report to be written. Its texts are clipped and storable; what is empty is taken from its build where that has it. */
export type NewReport = {
  gameId: string;
  reportId: string;
  buildId: string;
  receivedAt: Date;
  source: CrashSource;
  appName: string;
  appVersion: string;
  engineVersion: string;
  os: string;
  arch: string;
  message: string;
  userMessage: string;
  anonymous: boolean;
  metadata: Readonly<Record<string, unknown>>;
  /** Hex of its SHA-256. */
  clientRefHash: string | null;
  dump: StoredFile | null;
  log: StoredFile | null;
  /** Upload addresses asked for. */
  wants: { dump: boolean; log: boolean };
  /** Why there is no dump although the client had one. */
  failure: string | null;
};

/** `size` is that of the file, `stored` what the store keeps of it, in bytes. */
export type StoredFile = { key: string; size: number; stored: number };

/** What became of a report: `granted` when its upload addresses, or the files that came with it, are within the game’s limits. */
export type WrittenReport = { known: boolean; accepted: boolean; granted: boolean };

/**
 * Writes reports, counts them against their games’ limits, and asks for the jobs that follow, all in one statement and so in one
 * round trip and one transaction. Answers for each in its place. Counters are taken in the order of their games: two processes
 * that write at once wait for each other, and never both. What is counted is narrow, so that the texts are read once.
 */
export async function writeReports(
  db: Db,
  reports: readonly NewReport[],
  { day, crashes, uploads, bytes }: DailyLimits,
): Promise<WrittenReport[]> {
  const { games, builds, place } = placesOf(reports);
  const places = arrayLiteral(place);
  const column = (read: (report: NewReport) => string | number | boolean | null) => arrayLiteral(reports.map(read));
  const { known_places, refused, ungranted } = await onlyRow(
    db,
    keepPlan(sql<{ known_places: number[]; refused: number[]; ungranted: number[] }>`
      with build as materialized (
        -- Locked, so that no build goes while a report of it comes: nothing else keeps the one from the other.
        select place, game_id, build_id, version, engine_version, os, arch
        from unnest(${arrayLiteral(games)}::uuid[], ${arrayLiteral(builds)}::uuid[]) with ordinality as given (game_id, build_id, place)
        join builds using (game_id, build_id) join games using (game_id) for key share of builds
      ), known as (
        select no, game_id, wanted, carried, row_number() over game_so_far as place,
          count(*) over (partition by game_id) as together
        from unnest(${places}::bigint[], ${column(filesOf)}::integer[], ${column(bytesOf)}::bigint[])
          with ordinality as item (place, wanted, carried, no) join build using (place)
        window game_so_far as (partition by game_id order by no)
      ), counted as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crashes', ${day}::timestamptz, count(*) from known
        group by game_id order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), accepted as (
        select no, game_id, wanted, carried,
          sum(wanted) over so_far as files_so_far, sum(wanted) over together as files_together,
          sum(carried) over so_far as bytes_so_far, sum(carried) over together as bytes_together
        from known join counted on counted.subject = known.game_id::text
        where ${crashes}::integer = 0 or known.place <= ${crashes}::integer - (counted.used - known.together)
        window so_far as (partition by game_id order by no), together as (partition by game_id)
      ), counted_files as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crash uploads', ${day}::timestamptz, sum(wanted) from accepted
        group by game_id having sum(wanted) > 0 order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), counted_bytes as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crash bytes', ${day}::timestamptz, sum(carried) from accepted
        group by game_id having sum(carried) > 0 order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), granted as (
        select no, wanted > 0
            and (${uploads}::integer = 0 or files_so_far <= ${uploads}::integer - (files.used - files_together))
            -- Bytes that are still to come count when they are there.
            and (${bytes}::bigint = 0 or carried = 0 or bytes_so_far <= ${bytes}::bigint - (sent.used - bytes_together)) as granted
        from accepted left join counted_files files on files.subject = game_id::text
          left join counted_bytes sent on sent.subject = game_id::text
      ), written as (
        insert into crash_reports (game_id, report_id, build_id, received_at, source, state, app_name, app_version,
          engine_version, os, arch, message, user_message, anonymous, metadata, client_ref_hash, dump_key, dump_size,
          log_key, log_size, failure)
        select game_id, report_id, build_id, to_timestamp(received_ms / 1000), source,
          case when waits and granted then 'received' else 'queued' end, app_name,
          coalesce(item.app_version, build.version), coalesce(item.engine_version, build.engine_version, ''),
          coalesce(item.os, build.os), coalesce(item.arch, build.arch), message, user_message, anonymous,
          case when not granted and log_key is not null
            then metadata || jsonb_build_object(${OMISSIONS_KEY}::text, left(concat_ws(' ', metadata ->> ${OMISSIONS_KEY}, ${NO_LOG}::text), ${LIMITS.metadataValueLength}))
            else metadata end,
          decode(client_ref_hash, 'hex'),
          case when granted then dump_key end, case when granted then dump_size end,
          case when granted then log_key end, case when granted then log_size end,
          coalesce(failure, case when granted then null when waits then ${NO_ADDRESS} when dump_key is not null then ${NO_DUMP} end)
        from unnest(${places}::bigint[], ${column(({ reportId }) => reportId)}::uuid[],
            ${column(({ receivedAt }) => receivedAt.getTime())}::float8[], ${column(({ source }) => source)}::text[],
            ${column(({ appName }) => appName)}::text[], ${column(({ appVersion }) => appVersion || null)}::text[],
            ${column(({ engineVersion }) => engineVersion || null)}::text[], ${column(({ os }) => os || null)}::text[],
            ${column(({ arch }) => arch || null)}::text[], ${column(({ message }) => message)}::text[],
            ${column(({ userMessage }) => userMessage)}::text[], ${column(({ anonymous }) => anonymous)}::boolean[],
            ${column(({ metadata }) => JSON.stringify(metadata))}::jsonb[],
            ${column(({ clientRefHash }) => clientRefHash)}::text[], ${column(({ dump }) => dump?.key ?? null)}::text[],
            ${column(({ dump }) => dump?.size ?? null)}::bigint[], ${column(({ log }) => log?.key ?? null)}::text[],
            ${column(({ log }) => log?.size ?? null)}::bigint[], ${column(({ wants }) => wants.dump)}::boolean[],
            ${column(({ failure }) => failure)}::text[])
          with ordinality as item (place, report_id, received_ms, source, app_name, app_version, engine_version, os, arch,
            message, user_message, anonymous, metadata, client_ref_hash, dump_key, dump_size, log_key, log_size, waits, failure, no)
        join granted using (no) join build using (place)
        returning game_id, report_id, dump_key, state
      ), to_process as (
        select graphile_worker.add_job(identifier => ${processCrashJob.task}, max_attempts => ${processCrashJob.maxAttempts},
          payload => json_build_object('gameId', game_id, 'reportId', report_id)) as job
        from written where dump_key is not null
      ), to_group as (
        select graphile_worker.add_job(identifier => ${groupMessagesJob.task}, max_attempts => ${groupMessagesJob.maxAttempts},
          payload => json_build_object('gameId', game_id, 'reportIds', json_agg(report_id))) as job
        from written where dump_key is null and state = 'queued' group by game_id
      )
      select array(select place::integer from build) as known_places,
        array(select no::integer from known except select no::integer from granted) as refused,
        array(select no::integer from granted where not granted) as ungranted,
        (select count(job) from to_process) + (select count(job) from to_group) as jobs`),
  );
  const knownPlaces = new Set(known_places);
  const all = place.map((of) => {
    const known = knownPlaces.has(of);
    return { known, accepted: known, granted: known };
  });
  for (const no of refused) all[no - 1] = { known: true, accepted: false, granted: false };
  for (const no of ungranted) all[no - 1]!.granted = false;
  return all;
}

/** The builds that reports are of, each once, and for each report the place of its own among them, from 1 as in PostgreSQL. */
function placesOf(reports: readonly NewReport[]): { games: string[]; builds: string[]; place: number[] } {
  const places = new Map<string, number>();
  const games: string[] = [];
  const builds: string[] = [];
  const place = reports.map(({ gameId, buildId }) => {
    const key = `${gameId}/${buildId}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    games.push(gameId);
    places.set(key, builds.push(buildId));
    return builds.length;
  });
  return { games, builds, place };
}

const NO_ADDRESS = 'The dump was not requested, because the game had reached its daily limit for crash files.';
const NO_DUMP = `The dump was ${PAST_LIMIT}.`;
const NO_LOG = `The log was ${PAST_LIMIT}.`;

/** Files that the report asks addresses for, or that came with it. */
function filesOf({ wants, dump, log }: NewReport): number {
  return [wants.dump, wants.log, dump !== null, log !== null].filter(Boolean).length;
}

function bytesOf({ dump, log }: NewReport): number {
  return (dump?.stored ?? 0) + (log?.stored ?? 0);
}

/** Takes the files of reports that were not granted theirs out of the day’s count: what is left is for files that fit. */
export async function returnBytes(db: Db, reports: readonly NewReport[], day: Date): Promise<void> {
  for (const [gameId, of] of Map.groupBy(reports, (report) => report.gameId)) {
    const bytes = of.reduce((sum, report) => sum + bytesOf(report), 0);
    if (bytes === 0) continue;
    await changed(
      db,
      sql`update rate_counters set used = used - ${bytes}
        where subject = ${gameId} and name = 'crash bytes' and window_start = ${day}`,
    );
  }
}

/** What the game has used today, asked before a large body is read; undefined when the build is not one of the game’s. */
export function findUsed(db: Db, gameId: string, buildId: string, day: Date): Promise<UsedToday | undefined> {
  return row(
    db,
    keepPlan(sql<UsedToday>`select ${usedToday(day)} from builds join games using (game_id)
      where game_id = ${gameId} and build_id = ${buildId}`),
  );
}

/** As `findUsed`, of a report that is there and still without the file; else undefined. */
export function findWanting(
  db: Db,
  { gameId, reportId, kind }: { gameId: string; reportId: string; kind: 'dump' | 'log' },
  day: Date,
): Promise<UsedToday | undefined> {
  return row(
    db,
    keepPlan(sql<UsedToday>`select ${usedToday(day)} from crash_reports join games using (game_id)
      where game_id = ${gameId} and report_id = ${reportId} and ${sql.ref(`${kind}_key`)} is null`),
  );
}

function usedToday(day: Date): RawBuilder<unknown> {
  const counter = (name: string) => sql`coalesce((select used from rate_counters
    where subject = game_id::text and name = ${sql.lit(name)} and window_start = ${day}::timestamptz), 0)`;
  return sql`${counter('crash uploads')} as uploads, ${counter('crash bytes')} as bytes`;
}

/** `taken`: the report has such a file already, or is gone. `past_limit`: the game’s bytes of the day do not suffice. */
export type Attachment = 'attached' | 'taken' | 'past_limit';

/** Gives the report its dump or log, which counts against the day, and asks for the processing of a dump: in one statement. */
export async function attachFile(
  db: Db,
  { gameId, reportId, kind }: { gameId: string; reportId: string; kind: 'dump' | 'log' },
  file: StoredFile,
  { day, bytes }: Pick<DailyLimits, 'day' | 'bytes'>,
): Promise<Attachment> {
  const key = sql.ref(`${kind}_key`);
  const isDump = kind === 'dump';
  const { wanting, attached } = await onlyRow(
    db,
    keepPlan(sql<{ wanting: number; attached: number }>`with wanting as materialized (
        select game_id, report_id from crash_reports
        where game_id = ${gameId} and report_id = ${reportId} and ${key} is null for update
      ), counted as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crash bytes', ${day}::timestamptz, ${file.stored}::bigint from wanting
        where ${bytes}::bigint = 0 or ${file.stored}::bigint <= ${bytes}::bigint
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
          where ${bytes}::bigint = 0 or rate_counters.used + excluded.used <= ${bytes}::bigint
        returning subject
      ), attached as (
        update crash_reports set ${key} = ${file.key}, ${sql.ref(`${kind}_size`)} = ${file.size}
          ${isDump ? sql`, state = 'queued', failure = null` : sql``}
        from counted where game_id = ${gameId} and report_id = ${reportId} and ${key} is null
        returning game_id, report_id
      )
      select (select count(*) from wanting) as wanting, (select count(${isDump ? processJob : sql`*`}) from attached) as attached`),
  );
  if (attached > 0) return 'attached';
  return wanting > 0 ? 'past_limit' : 'taken';
}

const processJob = sql`graphile_worker.add_job(identifier => ${sql.lit(processCrashJob.task)},
  max_attempts => ${sql.lit(processCrashJob.maxAttempts)},
  payload => json_build_object('gameId', game_id, 'reportId', report_id))`;

/** What a report’s sender may read of it. */
export type PublicReportRow = {
  game_id: string;
  report_id: string;
  build_id: string;
  state: 'received' | 'queued' | 'processing' | 'processed' | 'failed';
  reason: string | null;
  crash_address: string | null;
  frames: readonly PublicFrame[] | null;
};

export type PublicFrame = {
  function: string | null;
  module: string | null;
  file: string | null;
  line: number | null;
  offset: string | null;
  trust: string;
  inlined: boolean;
};

const publicColumns = sql.raw('game_id, report_id, build_id, state, reason, crash_address, frames');

export function findPublicReport(db: Db, gameId: string, reportId: string): Promise<PublicReportRow | undefined> {
  return row(
    db,
    sql<PublicReportRow>`select ${publicColumns} from crash_reports join games using (game_id)
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

/** By the hash of the client’s own id: the one query without a game, for a client that names none. The newest, were there two. */
export function findByClientRef(db: Db, hash: Buffer): Promise<PublicReportRow | undefined> {
  return row(
    db,
    sql<PublicReportRow>`select ${publicColumns} from crash_reports join games using (game_id)
      where client_ref_hash = ${hash} order by report_id desc limit 1`,
  );
}
