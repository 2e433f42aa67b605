// The SQL that writes reports with the files that came with them, and counts them. `writeReports` has two forms:
//
// - plain: one statement, and so one transaction, looks up the builds of a batch, counts the reports against the limits
//   of their games, inserts them, and enqueues their jobs.
// - distributed: Citus keeps reports in the shards of their games, and builds, limits and jobs on the coordinator. So a
//   transaction looks up and counts, inserts in each shard, and then enqueues.
import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashSource, ReportKind } from '@chauffeur/contract/operations/crash-reports';
import { type RawBuilder, sql } from 'kysely';
import {
  arrayLiteral,
  BulkRows,
  type Column,
  insertedNames,
  insertedValues,
} from '../../../kernel/database/bulk-rows.ts';
import { changed, type Db, keepPlan, onlyRow, rows, type Tx, transact } from '../../../kernel/database/db.ts';
import { rowsInShard, runForm, type Shard, type Shards } from '../../../kernel/database/shards.ts';
import { jobForEachRow } from '../../../kernel/jobs/jobs.ts';
import { firstIdAt } from '../../../kernel/secrets/ids.ts';
import type { DebugIds } from '../report/debug-ids.ts';
import type { EventContent } from '../report/event.ts';
import { FIELD_COLUMNS, type SentFields } from '../report/fields.ts';
import type { Attachment } from '../report/files.ts';
import { groupMessagesJob, previewJob, processCrashJob } from '../report/jobs.ts';
import { type DailyLimits, maxBytes } from './daily-limits.ts';
import { OMISSIONS_KEY } from './details.ts';
import {
  LOST_ATTACHMENTS,
  LOST_FILES,
  NOT_REQUESTED,
  type StoredAttachment,
  type StoredReportFile,
} from './store-file.ts';

/**
 * A report to be written. Its texts are clipped and storable. An empty version, OS or architecture is taken from its
 * build.
 */
export type NewReport = {
  gameId: string;
  reportId: string;
  buildId: string;
  /** Whether `buildId` is that of a release that no build has. */
  isUnregistered: boolean;
  receivedAt: Date;
  source: CrashSource;
  sent: SentFields;
  metadata: Readonly<Record<string, unknown>>;
  debugIds: DebugIds;
  /** SHA-256 of the client's own id or of its idempotency key, as hex. */
  clientRefHash: string | null;
  /** SHA-256 of the request, as hex, if it has an idempotency key. */
  requestHash: string | null;
  dump: StoredReportFile | null;
  log: StoredReportFile | null;
  /** What Sentry's SDK says about the crash. It is a part of the report, so no limit of files applies to it. */
  event: SentEvent | null;
  attachments: readonly StoredAttachment[];
  /** Requested upload addresses; of attachments, their names. */
  wants: { dump: boolean; log: boolean; attachments: readonly string[] };
  /** Why the dump that the client sent was not kept. */
  failure: string | null;
};

/** An event of Sentry's SDK. */
export type SentEvent = {
  readonly kind: ReportKind;
  readonly content: EventContent;
  /** Its size in bytes. */
  readonly stored: number;
  /** Null if the game doesn't say what the report belongs to. */
  readonly fingerprint: readonly string[] | null;
};

/**
 * The result for a report. `with_files`: written, and its upload addresses or the files of its request are granted.
 * `without_files`: written, but it has no files, or they are past the game's daily limits. `repeated`: not written,
 * because the build has a report with the same client's id.
 */
export type WriteOutcome = 'unknown_build' | 'over_limit' | 'repeated' | 'without_files' | 'with_files';

/** The columns that counting needs. They are separate from the texts, so that the texts are read only once. */
const COUNTED_COLUMNS: readonly Column<NewReport>[] = [
  { name: 'build_no', type: 'bigint', value: (_, buildNo) => buildNo },
  { name: 'files', type: 'integer', value: filesOf },
  { name: 'bytes', type: 'bigint', value: bytesOf },
];

/** The columns of the client's own ids. Reports without one have nulls. */
const NAME_COLUMNS: readonly Column<NewReport>[] = [
  { name: 'build_no', type: 'bigint', value: (_, buildNo) => buildNo },
  { name: 'report_id', type: 'uuid', value: ({ reportId }) => reportId },
  { name: 'hash', type: 'text', value: ({ clientRefHash }) => clientRefHash },
  { name: 'request_hash', type: 'text', value: ({ requestHash }) => requestHash },
];

const REPORT_COLUMNS: readonly Column<NewReport>[] = [
  { name: 'build_no', type: 'bigint', value: (_, buildNo) => buildNo, stored: null },
  { name: 'waits_for_dump', type: 'boolean', value: ({ wants }) => wants.dump, stored: null },
  { name: 'report_id', type: 'uuid', value: ({ reportId }) => reportId },
  {
    name: 'received_at',
    type: 'float8',
    value: ({ receivedAt }) => receivedAt.getTime(),
    stored: sql`to_timestamp(item.received_at / 1000)`,
  },
  { name: 'source', type: 'text', value: ({ source }) => source },
  ...FIELD_COLUMNS,
  {
    name: 'metadata',
    type: 'jsonb',
    value: ({ metadata }) => JSON.stringify(metadata),
    stored: sql`case when not granted and (item.log_key is not null or item.attachments <> '[]')
      then item.metadata || jsonb_build_object(${sql.lit(OMISSIONS_KEY)},
        left(concat_ws(' ', item.metadata ->> ${sql.lit(OMISSIONS_KEY)},
          case when item.log_key is not null then ${sql.lit(LOST_FILES.past_limit.log)} end,
          case when item.attachments <> '[]' then ${sql.lit(LOST_ATTACHMENTS)} end), ${sql.lit(LIMITS.metadataValueLength)}))
      else item.metadata end`,
  },
  {
    name: 'debug_ids',
    type: 'jsonb',
    value: ({ debugIds }) => (debugIds === null ? null : JSON.stringify(debugIds)),
  },
  { name: 'kind', type: 'text', value: ({ event }) => event?.kind ?? 'crash' },
  { name: 'event_key', type: 'text', value: ({ event }) => event?.content.event_key ?? null },
  { name: 'event', type: 'text', value: ({ event }) => event?.content.event ?? null },
  {
    name: 'fingerprint',
    type: 'jsonb',
    value: ({ event }) => (event?.fingerprint == null ? null : JSON.stringify(event.fingerprint)),
  },
  {
    name: 'client_ref_hash',
    type: 'text',
    value: ({ clientRefHash }) => clientRefHash,
    stored: sql`decode(item.client_ref_hash, 'hex')`,
  },
  grantedColumn('dump_key', 'text', ({ dump }) => dump?.key ?? null),
  grantedColumn('dump_size', 'bigint', ({ dump }) => dump?.size ?? null),
  grantedColumn('log_key', 'text', ({ log }) => log?.key ?? null),
  grantedColumn('log_size', 'bigint', ({ log }) => log?.size ?? null),
  {
    name: 'attachments',
    type: 'jsonb',
    value: (report) => JSON.stringify(attachmentsOf(report)),
    stored: sql`case when granted then item.attachments else '[]' end`,
  },
  {
    name: 'failure',
    type: 'text',
    value: ({ failure }) => failure,
    stored: sql`coalesce(item.failure, case
      when granted then null
      when item.waits_for_dump then ${sql.lit(NOT_REQUESTED)}
      when item.dump_key is not null then ${sql.lit(LOST_FILES.past_limit.dump)} end)`,
  },
];

/** A column that is null if the files of the report are not granted. */
function grantedColumn(
  name: string,
  type: 'text' | 'bigint',
  value: (report: NewReport) => string | number | null,
): Column<NewReport> {
  return { name, type, value, stored: sql`case when granted then ${sql.ref(`item.${name}`)} end` };
}

const processJob = jobForEachRow(processCrashJob, { gameId: sql`game_id`, reportId: sql`report_id` });
const previewImages = jobForEachRow(previewJob, { gameId: sql`game_id`, reportId: sql`report_id` });
const groupJob = jobForEachRow(groupMessagesJob, { gameId: sql`game_id`, reportIds: sql`json_agg(report_id)` });

export type WriteOptions = {
  /** A report is repeated only if the other one is not older. */
  readonly namesSince: Date;
  /** The number of the process that holds the jobs for the dumps; null if they are to be enqueued. */
  readonly holder: number | null;
};

/**
 * Writes reports, counts them against the limits of their games, and enqueues their jobs, all or none. Returns the
 * outcome of each report in order. Counters are locked in the order of their games, so two processes cannot deadlock.
 */
export async function writeReports(
  db: Db,
  reports: readonly NewReport[],
  limits: DailyLimits,
  options: WriteOptions,
): Promise<WriteOutcome[]> {
  const { numbered, builds } = numberBuilds(reports);
  const batch = { numbered, builds, limits };
  const { existing_builds, over_limit, without_files, written_ids } = await runForm(db, {
    plain: () => writePlain(db, batch, options),
    distributed: (shards) => writeDistributed(db, shards, batch, options),
  });
  const existingBuilds = new Set(existing_builds);
  const outcomes = numbered.map(
    ({ buildNo }): WriteOutcome => (existingBuilds.has(buildNo) ? 'with_files' : 'unknown_build'),
  );
  for (const no of over_limit) outcomes[no - 1] = 'over_limit';
  for (const no of without_files) outcomes[no - 1] = 'without_files';
  const written = new Set(written_ids);
  for (const [index, { reportId, clientRefHash }] of reports.entries()) {
    const isAccepted = outcomes[index] === 'with_files' || outcomes[index] === 'without_files';
    if (isAccepted && clientRefHash !== null && !written.has(reportId)) outcomes[index] = 'repeated';
  }
  return outcomes;
}

type BuildRef = Pick<NewReport, 'gameId' | 'buildId'>;
/** A report, and the number of its build in the batch, from 1 as in PostgreSQL. */
type NumberedReport = { readonly report: NewReport; readonly buildNo: number };
type ReportBatch = {
  readonly numbered: readonly NumberedReport[];
  /** The builds of the reports, each once. */
  readonly builds: readonly BuildRef[];
  readonly limits: DailyLimits;
};
type Counted = {
  existing_builds: number[];
  over_limit: number[];
  without_files: number[];
  /** The ids of written reports, if any of the reports has a client's id. */
  written_ids: string[];
};

const COUNTED = sql.raw(`array(select build_no::integer from build) as existing_builds,
  array(select no::integer from incoming except select no::integer from granted) as over_limit,
  array(select no::integer from granted where not granted) as without_files`);

/**
 * The CTEs that look up the builds of reports and count the reports against the limits of their games: `build`,
 * `incoming`, and `granted` with the reports to be written.
 */
function countAgainstLimits({ numbered, builds, limits }: ReportBatch): RawBuilder<unknown> {
  const { day, crashes, uploads, bytes } = limits;
  const counted = bulkOf(COUNTED_COLUMNS, numbered);
  const requested = sql`unnest(${arrayLiteral(builds.map(({ gameId }) => gameId))}::uuid[], ${arrayLiteral(builds.map(({ buildId }) => buildId))}::uuid[]) with ordinality as requested (game_id, build_id, build_no)`;
  const build = numbered.some(({ report }) => report.isUnregistered)
    ? sql`registered as materialized (${registeredOf(requested)}), unregistered as materialized (
        select build_no, game_id, build_id, release, null::text as engine_version, os, arch from ${requested}
        join unregistered_releases using (game_id, build_id) join games using (game_id)
        for key share of unregistered_releases
      ), build as materialized (select * from registered union all select * from unregistered`
    : sql`build as materialized (${registeredOf(requested)}`;
  return sql`${build}
      ), incoming as (
        select no, build_no, game_id, files, bytes, row_number() over game_so_far as position,
          count(*) over (partition by game_id) as together
        from ${counted.unnest('item')} join build using (build_no)
        window game_so_far as (partition by game_id order by no)
      ), counted as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crashes', ${day}::timestamptz, count(*) from incoming
        group by game_id order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), accepted as (
        select no, game_id, files, bytes,
          sum(files) over so_far as files_so_far, sum(files) over together as files_together,
          sum(bytes) over so_far as bytes_so_far, sum(bytes) over together as bytes_together
        from incoming join counted on counted.subject = incoming.game_id::text
        where ${crashes}::integer = 0 or incoming.position <= ${crashes}::integer - (counted.used - incoming.together)
        window so_far as (partition by game_id order by no), together as (partition by game_id)
      ), counted_files as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crash uploads', ${day}::timestamptz, sum(files) from accepted
        group by game_id having sum(files) > 0 order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), counted_bytes as (
        insert into rate_counters (subject, name, window_start, used)
        select game_id::text, 'crash bytes', ${day}::timestamptz, sum(bytes) from accepted
        group by game_id having sum(bytes) > 0 order by game_id
        on conflict (subject, name, window_start) do update set used = rate_counters.used + excluded.used
        returning subject, used
      ), granted as (
        select no, files > 0
            and (${uploads}::integer = 0 or files_so_far <= ${uploads}::integer - (used_files.used - files_together))
            -- The bytes of files still to be uploaded are counted when they arrive.
            and (max_bytes = 0 or bytes = 0 or bytes_so_far <= max_bytes - (used_bytes.used - bytes_together)) as granted
        from accepted left join counted_files used_files on used_files.subject = game_id::text
          left join counted_bytes used_bytes on used_bytes.subject = game_id::text
          left join game_quotas using (game_id)
          cross join lateral (select ${maxBytes(bytes)} as max_bytes) limits
      )`;
}

function registeredOf(requested: RawBuilder<unknown>): RawBuilder<unknown> {
  // The key lock keeps a build from being deleted while a report of it is written.
  return sql`select build_no, game_id, build_id, version, engine_version, os, arch from ${requested}
    join builds using (game_id, build_id) join games using (game_id) for key share of builds`;
}

/**
 * A CTE after `granted` and `build` that records the clients' ids of the reports in it, and so decides which of two
 * identical reports is written: the other one waits here for its transaction. In the order of the ids, so that two
 * transactions cannot deadlock. Ids of reports before `since` are free again.
 */
function recordNames(numbered: readonly NumberedReport[], since: Date): RawBuilder<unknown> {
  const names = bulkOf(NAME_COLUMNS, numbered);
  return sql`named as (
      insert into crash_report_names as known (game_id, build_id, hash, report_id, request_hash, has_uploads)
      select game_id, case when request_hash is null then build_id else ${NO_BUILD}::uuid end as build_id,
        decode(hash, 'hex') as hash, report_id, decode(request_hash, 'hex'), granted
      from ${names.unnest('name')} join granted using (no) join build using (build_no) where hash is not null
      order by 1, 2, 3
      on conflict (game_id, build_id, hash) do update set report_id = excluded.report_id,
          request_hash = excluded.request_hash, has_uploads = excluded.has_uploads
        where known.report_id < ${firstIdAt(since.getTime())}::uuid
      returning report_id
    )`;
}

/** An idempotency key belongs to the game, not to one of its builds. */
export const NO_BUILD = '00000000-0000-0000-0000-000000000000';

/** Whether a report has images to be encoded again. */
const HAS_IMAGES = sql`jsonb_path_exists(attachments, '$[*] ? (@.kind == "image")')`;

/**
 * The statement that inserts the reports of `granted`, with the columns of `build`; with `isNamed`, only those without
 * a client's id, and those in `named`.
 */
function insertReports(
  numbered: readonly NumberedReport[],
  { isNamed, holder }: { isNamed: boolean; holder: number | null },
): RawBuilder<unknown> {
  const items = bulkOf(REPORT_COLUMNS, numbered);
  return sql`insert into crash_reports (game_id, build_id, state, held_by, ${insertedNames(REPORT_COLUMNS)})
    select game_id, build_id, case when item.waits_for_dump and granted then 'received' else 'queued' end,
      case when item.dump_key is not null and granted then ${holder}::integer end, ${insertedValues(REPORT_COLUMNS, 'item')}
    from ${items.unnest('item')} join granted using (no) join build using (build_no)
    ${isNamed ? sql`where item.client_ref_hash is null or item.report_id in (select report_id from named)` : sql``}
    returning game_id, report_id, dump_key, state, ${HAS_IMAGES} as has_images`;
}

/** The CTEs that enqueue the jobs of `written`, and how many jobs that are. */
const addedJobs = (holder: number | null) => sql`to_process as (
    select ${processJob} as job from written where dump_key is not null and ${holder}::integer is null
  ), to_group as (
    select ${groupJob} as job from written where dump_key is null and state = 'queued' group by game_id
  ), to_preview as (
    select ${previewImages} as job from written where has_images
  )`;
const JOB_COUNT = sql.raw(
  '(select count(job) from to_process) + (select count(job) from to_group) + (select count(job) from to_preview) as jobs',
);

function writePlain(db: Db, batch: ReportBatch, { namesSince, holder }: WriteOptions): Promise<Counted> {
  const hasNames = batch.numbered.some(({ report }) => report.clientRefHash !== null);
  const named = hasNames ? recordNames(batch.numbered, namesSince) : null;
  return onlyRow(
    db,
    keepPlan(sql<Counted>`with ${countAgainstLimits(batch)}, ${named === null ? sql`` : sql`${named},`} written as (
        ${insertReports(batch.numbered, { isNamed: named !== null, holder })}
      ), ${addedJobs(holder)}
      select ${COUNTED}, ${JOB_COUNT},
        ${named === null ? sql`'{}'::uuid[]` : sql`array(select report_id from written)`} as written_ids`),
  );
}

type GrantedRow = { no: number; granted: boolean; build_no: number } & BuildRow;
type BuildRow = {
  game_id: string;
  build_id: string;
  version: string;
  engine_version: string | null;
  os: string;
  arch: string;
};
type WrittenRow = {
  game_id: string;
  report_id: string;
  dump_key: string | null;
  state: string;
  has_images: boolean;
};

function writeDistributed(
  db: Db,
  shards: Shards,
  batch: ReportBatch,
  { namesSince, holder }: WriteOptions,
): Promise<Counted> {
  return transact(db, async (tx) => {
    const { to_write, ...counted } = await onlyRow(
      tx,
      keepPlan(sql<Omit<Counted, 'written_ids'> & { to_write: GrantedRow[] }>`with ${countAgainstLimits(batch)}
          select ${COUNTED}, array(
            select to_json(found) from (
              select no, granted, build.* from granted join incoming using (no) join build using (build_no) order by no
            ) as found
          ) as to_write`),
    );
    const shardOf = new Map<string, Shard>();
    for (const { game_id } of to_write) shardOf.set(game_id, await shards.of(tx, game_id));
    const written: WrittenRow[] = [];
    for (const granted of Map.groupBy(to_write, ({ game_id }) => shardOf.get(game_id)!.id).values()) {
      const numbered = granted.map(({ no }) => batch.numbered[no - 1]!);
      const statement = sql<WrittenRow>`with ${grantedInShard(granted)}, ${recordNames(numbered, namesSince)}
          ${insertReports(numbered, { isNamed: true, holder })}`;
      written.push(...(await rowsInShard(tx, shardOf.get(granted[0]!.game_id)!, statement)));
    }
    await addJobs(tx, written, holder);
    return { ...counted, written_ids: written.map(({ report_id }) => report_id) };
  });
}

/** `granted` and `build` of `countAgainstLimits`, for a statement in a shard. */
function grantedInShard(granted: readonly GrantedRow[]): RawBuilder<unknown> {
  const builds = [...new Map(granted.map((row) => [row.build_no, row])).values()];
  const flags = arrayLiteral(granted.map((row) => row.granted));
  return sql`granted as (
      select granted, no from unnest(${flags}::boolean[]) with ordinality as given (granted, no)
    ), build as (
      select * from json_to_recordset(${JSON.stringify(builds)}::json)
        as build (build_no bigint, game_id uuid, build_id uuid, version text, engine_version text, os text, arch text)
    )`;
}

async function addJobs(tx: Tx, allWritten: readonly WrittenRow[], holder: number | null): Promise<void> {
  const written = allWritten.filter(
    ({ dump_key, state, has_images }) => dump_key !== null || state === 'queued' || has_images,
  );
  if (written.length === 0) return;
  const jobs = sql`with written as materialized (
      select * from json_to_recordset(${JSON.stringify(written)}::json)
        as written (game_id uuid, report_id uuid, dump_key text, state text, has_images boolean)
    ), ${addedJobs(holder)} select ${JOB_COUNT}`;
  await rows(tx, keepPlan(jobs));
}

function numberBuilds(reports: readonly NewReport[]): Pick<ReportBatch, 'numbered' | 'builds'> {
  const numbers = new Map<string, number>();
  const builds: BuildRef[] = [];
  const numbered = reports.map((report) => {
    const { gameId, buildId } = report;
    const key = `${gameId}/${buildId}`;
    const buildNo = numbers.get(key) ?? builds.push({ gameId, buildId });
    numbers.set(key, buildNo);
    return { report, buildNo };
  });
  return { numbered, builds };
}

function bulkOf(columns: readonly Column<NewReport>[], numbered: readonly NumberedReport[]): BulkRows<NewReport> {
  const bulk = new BulkRows(columns);
  for (const { report, buildNo } of numbered) bulk.add(report, buildNo);
  return bulk;
}

/** The number of files that came with the report or for which it requests upload addresses. */
function filesOf({ wants, dump, log, attachments }: NewReport): number {
  const count = [wants.dump, wants.log, dump !== null, log !== null].filter(Boolean).length;
  return count + attachments.length + wants.attachments.length;
}

function bytesOf(report: NewReport): number {
  return fileBytesOf(report) + (report.event?.stored ?? 0);
}

/** The event is not one of these files: it is kept in any case. */
function fileBytesOf({ dump, log, attachments }: NewReport): number {
  return (dump?.stored ?? 0) + (log?.stored ?? 0) + attachments.reduce((sum, { stored }) => sum + stored, 0);
}

/** A report has either files that came with it, or upload addresses. */
function attachmentsOf({ attachments, wants }: NewReport): Attachment[] {
  return [
    ...attachments.map(({ name, kind, key, size }): Attachment => ({ name, kind, key, size })),
    ...wants.attachments.map((name): Attachment => ({ name, kind: 'other', key: null, size: 0 })),
  ];
}

/** Reports that were counted against the day's limits, and what became of each. */
export type Uncounted = { readonly report: NewReport; readonly outcome: WriteOutcome };

/**
 * Takes back what was counted in vain: the bytes of files that were not granted, so that smaller ones still fit, and
 * repeated reports with their files.
 */
export async function returnUse(db: Db, uncounted: readonly Uncounted[], day: Date): Promise<void> {
  for (const [gameId, ofGame] of Map.groupBy(uncounted, ({ report }) => report.gameId)) {
    const repeated = ofGame.filter(({ outcome }) => outcome === 'repeated');
    const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0);
    const use = [
      ['crashes', repeated.length],
      ['crash uploads', sumOf(repeated.map(({ report }) => filesOf(report)))],
      [
        'crash bytes',
        sumOf(ofGame.map(({ report, outcome }) => (outcome === 'repeated' ? bytesOf(report) : fileBytesOf(report)))),
      ],
    ] as const;
    for (const [name, amount] of use)
      if (amount > 0)
        await changed(
          db,
          sql`update rate_counters set used = used - ${amount}
            where subject = ${gameId} and name = ${name} and window_start = ${day}`,
        );
  }
}
