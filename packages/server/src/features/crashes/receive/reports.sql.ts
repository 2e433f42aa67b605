// The SQL that brings reports and their files in.
import type { CrashSource } from '@chauffeur/contract/operations/crashes';
import { sql } from 'kysely';
import { arrayLiteral } from '../../../kernel/array-literal.ts';
import { changed, type Db, keepPlan, onlyRow, row, rows } from '../../../kernel/db.ts';
import { groupMessagesJob, processCrashJob } from '../jobs.ts';

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

/** What became of a report: `granted` tells that its upload addresses are within the game’s limit. */
export type WrittenReport = { known: boolean; accepted: boolean; granted: boolean };

/** Limits of one day; 0 lifts one. */
export type DailyLimits = { day: Date; crashes: number; uploads: number };

/**
 * Writes reports, counts them against their games’ limits, and asks for the jobs that follow, all in one statement and so in one
 * round trip and one transaction. Answers for each in its place. Counters are taken in the order of their games: two processes
 * that write at once wait for each other, and never both. What is counted is narrow, so that the texts are read once.
 */
export async function writeReports(
  db: Db,
  reports: readonly NewReport[],
  { day, crashes, uploads }: DailyLimits,
): Promise<WrittenReport[]> {
  const { games, builds, place } = placesOf(reports);
  const places = arrayLiteral(place);
  const column = (read: (report: NewReport) => string | number | boolean | null) => arrayLiteral(reports.map(read));
  const { known_places, refused, ungranted } = await onlyRow(
    db,
    keepPlan(sql<{ known_places: number[]; refused: number[]; ungranted: number[] }>`
      with build as materialized (
        -- Locked, so that no game goes while a report of it comes: nothing else keeps the one from the other.
        select place, game_id, build_id, version, engine_version, os, arch
        from unnest(${arrayLiteral(games)}::uuid[], ${arrayLiteral(builds)}::uuid[]) with ordinality as given (game_id, build_id, place)
        join builds using (game_id, build_id) for key share of builds
      ), known as (
        select no, game_id, wanted, row_number() over game_so_far as place,
          count(*) over (partition by game_id) as together
        from unnest(${places}::bigint[], ${column(({ wants }) => Number(wants.dump) + Number(wants.log))}::integer[])
          with ordinality as item (place, wanted, no) join build using (place)
        window game_so_far as (partition by game_id order by no)
      ), counted as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crashes', ${day}::timestamptz, count(*) from known where ${crashes}::integer > 0
        group by game_id order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), accepted as (
        select no, game_id, wanted, sum(wanted) over (partition by game_id order by no) as urls_so_far,
          sum(wanted) over (partition by game_id) as urls_together
        from known left join counted on counted.subject = known.game_id::text
        where counted.used is null or known.place <= ${crashes}::integer - (counted.used - known.together)
      ), counted_urls as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crash uploads', ${day}::timestamptz, sum(wanted) from accepted where ${uploads}::integer > 0
        group by game_id having sum(wanted) > 0 order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), granted as (
        select no, wanted > 0
            and (used is null or urls_so_far <= ${uploads}::integer - (used - urls_together)) as granted
        from accepted left join counted_urls on subject = game_id::text
      ), written as (
        insert into crash_reports (game_id, report_id, build_id, received_at, source, state, app_name, app_version,
          engine_version, os, arch, message, user_message, anonymous, metadata, client_ref_hash, dump_key, dump_size,
          log_key, log_size, failure)
        select game_id, report_id, build_id, to_timestamp(received_ms / 1000), source,
          case when waits and granted then 'received' else 'queued' end, app_name,
          coalesce(item.app_version, build.version), coalesce(item.engine_version, build.engine_version, ''),
          coalesce(item.os, build.os), coalesce(item.arch, build.arch), message, user_message, anonymous,
          metadata, decode(client_ref_hash, 'hex'), dump_key, dump_size, log_key, log_size,
          coalesce(failure, case when waits and not granted then ${NO_ADDRESS} end)
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

const NO_ADDRESS = 'The game had reached its daily limit of upload addresses: the dump was not asked for.';

/** Whether the build is one of the game’s: asked before a large body is read. */
export async function isBuildOf(db: Db, gameId: string, buildId: string): Promise<boolean> {
  const found = await row(db, sql`select 1 from builds where game_id = ${gameId} and build_id = ${buildId}`);
  return found !== undefined;
}

/** Whether the report is there and still without the file. */
export async function wantsFile(db: Db, gameId: string, reportId: string, kind: 'dump' | 'log'): Promise<boolean> {
  const found = await row(
    db,
    keepPlan(sql`select 1 from crash_reports
      where game_id = ${gameId} and report_id = ${reportId} and ${sql.ref(`${kind}_key`)} is null`),
  );
  return found !== undefined;
}

/** Gives the report its log. False when it has one already, or is gone. */
export async function attachLog(db: Db, gameId: string, reportId: string, log: StoredFile): Promise<boolean> {
  const count = await changed(
    db,
    sql`update crash_reports set log_key = ${log.key}, log_size = ${log.size}
      where game_id = ${gameId} and report_id = ${reportId} and log_key is null`,
  );
  return count > 0;
}

/** Gives the report its dump and asks for its processing, in one statement. False when it has one already, or is gone. */
export async function attachDump(db: Db, gameId: string, reportId: string, dump: StoredFile): Promise<boolean> {
  const attached = await rows(
    db,
    keepPlan(sql`with attached as (
        update crash_reports set dump_key = ${dump.key}, dump_size = ${dump.size}, state = 'queued', failure = null
        where game_id = ${gameId} and report_id = ${reportId} and dump_key is null
        returning game_id, report_id
      )
      select graphile_worker.add_job(identifier => ${processCrashJob.task}, max_attempts => ${processCrashJob.maxAttempts},
        payload => json_build_object('gameId', game_id, 'reportId', report_id)) from attached`),
  );
  return attached.length > 0;
}

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
    sql<PublicReportRow>`select ${publicColumns} from crash_reports
      where game_id = ${gameId} and report_id = ${reportId}`,
  );
}

/** By the hash of the client’s own id: the one query without a game, for a client that names none. The newest, were there two. */
export function findByClientRef(db: Db, hash: Buffer): Promise<PublicReportRow | undefined> {
  return row(
    db,
    sql<PublicReportRow>`select ${publicColumns} from crash_reports
      where client_ref_hash = ${hash} order by report_id desc limit 1`,
  );
}
