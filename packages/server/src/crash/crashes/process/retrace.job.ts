// Reads the stacks of reports again when source maps or mappings arrive that they may have missed, the newest first.
// These stacks came as text or in an event, so only the traces of the reports change.
import { baseOf } from '@chauffeur/sentry/mappings/script-url';
import { readRelease } from '@chauffeur/sentry/release';
import { sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { type Db, rows } from '../../../kernel/database/db.ts';
import { addJob, bindJob, defineJob } from '../../../kernel/jobs/jobs.ts';
import { addressesOf, type MappingOwner } from '../../symbols/mappings/mappings.sql.ts';
import { formatMissing } from '../../symbols/mappings/missing.ts';
import { type ContentPayload, mappingsArrivedJob } from '../../symbols/mappings/store-mapping.ts';
import { type GroupingRow, groupingColumns } from '../report/jobs.ts';
import { groupReportsByMessage } from './messages.job.ts';
import { listNamesOfGame } from './missing-names.ts';

type Payload = { gameId: string; names: readonly string[]; buildIds: readonly string[]; before: string };

/** The next batch, if there are more reports than fit one. */
export const retraceJob = defineJob('crashes:retrace', { attempts: 6, lane: 'long', changes: 'crashes' }, retrace);

const BATCH = 200;
/** The number of newest reports of a build that didn't miss anything by name, but may profit. */
const MAX_OF_BUILD = 1000;
const MAX_BUILDS = 20;

export const mappingsArrivedBinding = bindJob(mappingsArrivedJob, retraceMissing);

/** Safe to run twice: a stack that is read again gives the same result. */
export async function retraceMissing(ctx: Context, { gameId, checksum }: ContentPayload): Promise<void> {
  const owners = await addressesOf(ctx.db, gameId, checksum);
  const ids = owners.flatMap(({ debugId }) => debugId || []);
  // A debug id is that of the script whatever it is called where it is loaded.
  const others = ids.length === 0 ? [] : await listNamesOfGame(ctx.db, gameId, ids);
  const names = [...new Set([...owners.flatMap(missingNamesOf), ...others])];
  const serveBuilds = owners.some(({ kind }) => kind === 'source_map' || kind === 'proguard');
  const buildIds = serveBuilds ? await buildsOf(ctx.db, gameId, owners) : [];
  if (names.length > 0) await retrace(ctx, { gameId, names, buildIds, before: LAST_ID });
}

/** Enqueues the reports without a dump or a native stack that miss this module. */
export function enqueueRetracing(db: Db, gameId: string, name: string): Promise<void> {
  const payload = { gameId, names: [name], buildIds: [], before: LAST_ID };
  return addJob(db, retraceJob, payload, `${retraceJob.task}/${gameId}/${name}`);
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function missingNamesOf({ kind, url, file_name: fileName, debugId }: MappingOwner): string[] {
  if (kind === 'proguard') return [formatMissing(kind, { url, debugId })];
  const scripts = [...new Set([baseOf(url), fileName])].map((name) => name.replace(/\.map$/, ''));
  return scripts.flatMap((script) =>
    ['', debugId].map((id) => formatMissing('source_map', { url: script, debugId: id })),
  );
}

/** The builds that files belong to, by their ids or by the versions that their releases may be. */
async function buildsOf(db: Db, gameId: string, owners: readonly MappingOwner[]): Promise<string[]> {
  const ids = owners.flatMap(({ build_id: buildId }) => buildId ?? []);
  const releases = [...new Set(owners.map(({ release }) => release).filter(Boolean))];
  const versions = releases.flatMap((release) => readRelease(release).versions);
  const found = await rows(
    db,
    sql<{ build_id: string }>`
      select build_id from builds where game_id = ${gameId} and version = any(${versions}::text[])
      union select build_id from unregistered_releases where game_id = ${gameId} and release = any(${releases}::text[])
      limit ${MAX_BUILDS}`,
  );
  return [...new Set([...ids, ...found.map(({ build_id }) => build_id)])].slice(0, MAX_BUILDS);
}

export async function retrace(ctx: Context, payload: Payload): Promise<void> {
  const { gameId, names, before } = payload;
  const reports = await listTraced(ctx.db, payload, BATCH);
  await groupReportsByMessage(ctx, gameId, reports, null);
  const oldest = reports.map(({ report_id }) => report_id).sort()[0];
  // The reports of builds are few enough for the first batch.
  if (oldest !== undefined && reports.length >= BATCH && oldest < before)
    await addJob(ctx.db, retraceJob, { gameId, names, buildIds: payload.buildIds, before: oldest });
}

/**
 * The newest reports before `before` without a native stack that miss one of the names, or have a stack of JavaScript or
 * Java and belong to one of the builds.
 */
export function listTraced(
  db: Db,
  { gameId, names, buildIds, before }: Payload,
  limit: number,
): Promise<GroupingRow[]> {
  return rows(
    db,
    sql<GroupingRow>`select ${groupingColumns} from crash_reports
      where game_id = ${gameId} and report_id in (
        select report_id from crash_reports
        where game_id = ${gameId} and missing_symbols <> '{}'
          and lower_all(missing_symbols) && ${names.map((name) => name.toLowerCase())}::text[]
          and report_id < ${before}::uuid and dump_key is null and stack_key is null
        union
        select report_id from unnest(${buildIds}::uuid[]) as build (id)
        cross join lateral (
          select report_id, trace from crash_reports
          where game_id = ${gameId} and crash_reports.build_id = build.id and report_id < ${before}::uuid
            and dump_key is null and stack_key is null
          order by report_id desc limit ${MAX_OF_BUILD}
        ) as of_build where trace ->> 'format' in ('JavaScript', 'Java')
      ) order by report_id desc limit ${limit}`,
  );
}
