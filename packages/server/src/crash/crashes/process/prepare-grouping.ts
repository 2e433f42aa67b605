// What has to be read and stored before a report is grouped: the rules of its game, the trace in its texts or its log,
// its facets, and the names of its functions, by which reports are searched.
import type { GroupingRule } from '@chauffeur/contract/operations/grouping-rules';
import type { StoredEvent } from '@chauffeur/sentry/event/event';
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../../context.ts';
import { BlobMissingError } from '../../../kernel/blobs/store.ts';
import { utcDayOf } from '../../../kernel/clock.ts';
import { changed, type Db, keepPlan, onlyRow, row } from '../../../kernel/database/db.ts';
import { perContext } from '../../../request/per-context.ts';
import type { Resolved } from '../../symbols/mappings/resolve.ts';
import { type FacetIds, facetIdsOf } from '../groups/facet-ids.ts';
import { type DumpSystem, facetsOf } from '../groups/facet-rules.ts';
import type { GameRules } from '../groups/game-rules.ts';
import type { GroupingFields } from '../groups/grouping.ts';
import { type EventContent, readStoredEvent } from '../report/event.ts';
import { isLogAttachment } from '../report/files.ts';
import type { GroupingRow } from '../report/jobs.ts';
import { traceOfEvent } from '../text/event-trace.ts';
import { hasFrames } from '../text/find-trace.ts';
import type { Trace, TraceFrame } from '../text/trace.ts';
import { type FrameSources, resolveEventOf, resolveTextTrace, resolveTraced, textOriginOf } from './resolve-trace.ts';
import { readLogTrace, type StoredLog } from './walk.ts';

/** What the report is counted by; `system` is null if its dump could not be read. */
export function readFacets(
  ctx: Context,
  gameId: string,
  { report_id, metadata }: GroupingRow,
  system: DumpSystem | null,
): Promise<FacetIds> {
  return facetIdsOf(ctx, gameId, new Map([[report_id, facetsOf({ metadata, system })]]));
}

/**
 * Names written today, as `game/function`: crashes with one cause have the same names, which need not be written again.
 */
const namesOfToday = perContext(() => ({ day: '', names: new Set<string>() }));
const MAX_NAMES = 100_000;

/** Keeps the names of a game's functions. Call it before storing the report that has them. */
export async function rememberNewFunctions(ctx: Context, gameId: string, functions: readonly string[]): Promise<void> {
  const day = utcDayOf(ctx.clock.now());
  const today = namesOfToday(ctx);
  if (today.day !== day || today.names.size > MAX_NAMES) Object.assign(today, { day, names: new Set<string>() });
  // The set of `day`, even if the next day begins during the query.
  const { names } = today;
  const newNames = functions.filter((name) => !names.has(`${gameId}/${name}`));
  if (newNames.length === 0) return;
  await rememberFunctions(ctx.db, gameId, newNames, day);
  for (const name of newNames) names.add(`${gameId}/${name}`);
}

/** Writes the names of functions, seen on `day` (UTC, `2026-11-30`). Safe to repeat. */
export async function rememberFunctions(
  db: Db,
  gameId: string,
  functions: readonly string[],
  day: string,
): Promise<void> {
  if (functions.length === 0) return;
  // Ordered, so two transactions that write the same names cannot deadlock.
  await changed(
    db,
    sql`insert into crash_functions (game_id, function, seen_on)
      select distinct on (function collate "C") ${gameId}::uuid, function, ${day}::date
      from unnest(${functions}::text[]) as named (function) order by function collate "C"
      on conflict (game_id, function) do update set seen_on = excluded.seen_on
        where crash_functions.seen_on < excluded.seen_on`,
  );
}

/** The event of a report; null if it has none, or its blob is gone. Rejects if the storage is unavailable. */
export async function readEventOf({ blobs }: Context, content: EventContent): Promise<StoredEvent | null> {
  try {
    return await readStoredEvent(blobs, content);
  } catch (error) {
    if (error instanceof BlobMissingError) return null;
    throw error;
  }
}

/** What a trace is read from. */
export type TracedReport = EventContent &
  Pick<
    GroupingRow,
    'build_id' | 'app_version' | 'message' | 'metadata' | 'debug_ids' | 'log_key' | 'log_size' | 'attachments'
  >;

/** `sources` has the lines around the frames of a script in a text. An event has its own. */
type ResolvedTrace = Resolved<Trace | null> & { readonly sources?: FrameSources };

/**
 * The trace is null if neither the event nor a text has one. A log can be long, so a thread reads it, and only if nothing
 * else has a trace. Of a log, a trace without frames counts only if there is no message. Rejects if the storage is
 * unavailable.
 */
export async function readTrace(
  ctx: Context,
  gameId: string,
  report: TracedReport,
  event?: StoredEvent | null,
): Promise<ResolvedTrace> {
  const sent = event === undefined ? await readEventOf(ctx, report) : event;
  const resolved = sent === null ? null : await resolveEventOf(ctx, gameId, report, sent);
  const ofEvent = resolved === null ? null : traceOfEvent(resolved.value);
  const rest = { missing: resolved?.missing ?? [], ...(resolved?.depends && { depends: true as const }) };
  if (hasFrames(ofEvent)) return { value: ofEvent, ...rest };
  const origin = textOriginOf(gameId, report, sent);
  const ofText = ofEvent === null ? await resolveTextTrace(ctx, origin, report) : { value: ofEvent, ...rest };
  const log = logOf(report, sent !== null);
  if (ofText.value !== null || log === null) return ofText;
  const traced = await readLogTrace(ctx, log);
  const counts = traced !== null && (hasFrames(traced.trace) || report.message === '');
  return counts ? resolveTraced(ctx, origin, traced) : { value: null, ...rest };
}

/** The log of the report. Sentry's SDKs send it as an attachment. */
function logOf({ log_key: logKey, log_size: logSize, attachments }: TracedReport, isEvent: boolean): StoredLog | null {
  if (logKey !== null) return { logKey, logSize: logSize ?? 0 };
  if (!isEvent) return null;
  const attached = attachments.find((each) => each.key !== null && isLogAttachment(each));
  return attached === undefined ? null : { logKey: attached.key!, logSize: attached.size };
}

/** A frame as the column `frames` has it, like those of dumps. */
type StoredFrame = Pick<TraceFrame, 'function' | 'module' | 'file' | 'line' | 'offset'> & {
  /** The text says so; nothing was walked. */
  readonly trust: 'text';
  readonly inlined: false;
};

export type StoredTrace = {
  readonly trace: Trace | null;
  readonly frames: readonly StoredFrame[] | null;
  /** The names of all functions, each once. */
  readonly functions: readonly string[];
  /** The source maps and mappings that weren't found. */
  readonly missing: readonly string[];
};

const MAX_FUNCTIONS = 256;

export function storedTraceOf({ value: trace, missing }: Resolved<Trace | null>): StoredTrace {
  if (trace === null) return { trace, frames: null, functions: [], missing };
  const all = [trace.main, ...trace.related].flatMap(({ frames }) => frames);
  const names = new Set(all.flatMap(({ function: name }) => name ?? []));
  const functions = [...names].slice(0, MAX_FUNCTIONS);
  return { trace, frames: trace.main.frames.map(storedFrame), functions, missing };
}

function storedFrame({ function: name, module, file, line, offset }: TraceFrame): StoredFrame {
  return { function: name, module, file, line, offset, trust: 'text', inlined: false };
}

export function groupingFieldsOf({ message, metadata, app_version: appVersion, os }: GroupingRow): GroupingFields {
  return { message, metadata, appVersion, os };
}

/** What the reports of a group were read as, by the id of the report. */
export type ReadReports = ReadonlyMap<string, StoredTrace>;

/**
 * Changes of reports for `attachReports`: what was read from the text of each. Without a trace, the columns are empty.
 */
export function traceColumns(reports: ReadReports): RawBuilder<unknown> {
  const stored = [...reports].map(([id, { trace, frames, functions, missing }]) => [
    id,
    trace === null ? { functions, missing } : { trace, frames, functions, missing },
  ]);
  const of = sql`(${JSON.stringify(Object.fromEntries(stored))}::jsonb -> report_id::text)`;
  return sql`trace = ${of} -> 'trace', frames = ${of} -> 'frames',
    functions = array(select jsonb_array_elements_text(${of} -> 'functions')),
    missing_symbols = array(select jsonb_array_elements_text(${of} -> 'missing'))`;
}

export type GameRulesRow = GameRules & { changed_at: Date; changed_by: string };

export async function readGroupingRules(db: Db, gameId: string): Promise<GameRules> {
  return (await findRules(db, gameId)) ?? { rules: [], version: 0 };
}

export function findRules(db: Db, gameId: string): Promise<GameRulesRow | undefined> {
  return row(
    db,
    keepPlan(
      sql<GameRulesRow>`select rules, version, changed_at, changed_by from grouping_rules where game_id = ${gameId}`,
    ),
  );
}

export function replaceRules(
  db: Db,
  gameId: string,
  { rules, at, by }: { rules: readonly GroupingRule[]; at: Date; by: string },
): Promise<GameRulesRow> {
  return onlyRow(
    db,
    sql<GameRulesRow>`insert into grouping_rules (game_id, rules, version, changed_at, changed_by)
      values (${gameId}, ${JSON.stringify(rules)}::jsonb, 1, ${at}, ${by})
      on conflict (game_id) do update set rules = excluded.rules, version = grouping_rules.version + 1,
        changed_at = excluded.changed_at, changed_by = excluded.changed_by
      returning rules, version, changed_at, changed_by`,
  );
}
