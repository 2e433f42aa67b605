// Leads the stacks of scripts, and of Java and Kotlin, to their sources with the files of the game, in a thread with
// limited time and memory. A stack that can't be resolved stays as it is, and what it misses is returned.
import type { SentryException, SentryFrame, Stack, StoredEvent } from '@chauffeur/sentry/event/event';
import { languageOf } from '@chauffeur/sentry/grouping';
import type { JavaFrame } from '@chauffeur/sentry/mappings/proguard';
import type { ScriptFrame, SourceFrame } from '@chauffeur/sentry/mappings/script-frames';
import { scriptUrlOf } from '@chauffeur/sentry/mappings/script-url';
import { readRelease } from '@chauffeur/sentry/release';
import type { Context } from '../../../context.ts';
import type { BlobSettings } from '../../../kernel/blobs/store.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { createThreadPool } from '../../../kernel/threads/thread-pool.ts';
import { ThreadCrashError, ThreadTimeoutError } from '../../../kernel/threads/threads.ts';
import { perContext } from '../../../request/per-context.ts';
import { MAPPING_HEAP_MB } from './check.job.ts';
import { type ChosenMapping, chooseMapping, type ScriptPlace, searchFor, searchForMaps } from './choose-mappings.ts';
import { type FoundMapping, findMappings, findProguardOfBuild, markUsed } from './mappings.sql.ts';
import { formatMissing } from './missing.ts';

/** The report whose stacks are resolved. */
export type ReportOrigin = {
  readonly gameId: string;
  readonly buildId: string;
  /** The version that the report says. */
  readonly version: string;
  /** What Sentry's SDKs send; empty for other clients. */
  readonly release: string;
  readonly dist: string;
};

/** A frame of a script with its place, as the browser says it. */
export type PlacedFrame = ScriptFrame & ScriptPlace;

/** `missing` names the maps and mappings that weren't found, in the form of modules without symbols. */
export type Resolved<T> = {
  readonly value: T;
  readonly missing: readonly string[];
  /** Whether source maps or mappings that come later may change it. */
  readonly depends?: true;
};

/** Scripts of one report, and mappings of Java: forged reports may name more. */
const MAX_SCRIPTS = 32;
const MAX_MISSING = 64;
/** In code that people write, lines are shorter. */
const MINIFIED_COLUMN = 300;

/** The frames in the sources; null for each that can't be resolved. Null in a stack is a frame of something else. */
export async function resolveScripts(
  ctx: Context,
  origin: ReportOrigin,
  stacks: readonly (readonly (PlacedFrame | null)[])[],
): Promise<Resolved<(SourceFrame | null)[][]>> {
  const frames = stacks.flat().filter((frame) => frame !== null);
  const places = new Map(frames.map((frame) => [keyOf(frame), frame] as const).slice(0, 10_000));
  const scripts = [...places.values()].filter(({ place }) => scriptUrlOf(place) !== '').slice(0, MAX_SCRIPTS);
  const nothing = stacks.map((stack) => stack.map(() => null));
  if (scripts.length === 0) return { value: nothing, missing: [] };
  const depends = true;
  const found = await findFor(ctx, origin, scripts);
  const chosen = new Map<string, ChosenMapping>();
  for (const script of scripts) {
    const mapping = chooseMapping(script, found, origin.dist);
    if (mapping !== null) chosen.set(keyOf(script), mapping);
  }
  const isMinified = new Set(frames.filter(({ column }) => column > MINIFIED_COLUMN).map(keyOf));
  const missing = scripts
    .filter((script) => !chosen.has(keyOf(script)) && (script.debugId !== '' || isMinified.has(keyOf(script))))
    .map(({ place, debugId }) => formatMissing('source_map', { url: scriptUrlOf(place), debugId }));
  if (chosen.size === 0) return { value: nothing, missing, depends };
  await markAll(
    ctx,
    origin.gameId,
    [...chosen.values()].flatMap(({ map, script }) => [map, script]),
  );
  const keys = [...chosen.keys()];
  const output = await run(ctx, {
    task: 'scripts',
    blobSettings: ctx.blobs.settings,
    files: [...chosen.values()].map(({ map, script }) => ({
      map: map?.blob_key ?? null,
      script: script?.blob_key ?? null,
    })),
    stacks: stacks.map((stack) =>
      stack.map((frame) => {
        if (frame === null) return null;
        const { function: name, line, column } = frame;
        return { function: name, line, column, script: keys.indexOf(keyOf(frame)) };
      }),
    ),
  });
  return { value: output?.task === 'scripts' ? output.stacks : nothing, missing, depends };
}

function keyOf({ place, debugId }: ScriptPlace): string {
  return `${debugId} ${place}`;
}

/** The files that may serve the scripts, and the maps that found scripts name. */
async function findFor(ctx: Context, origin: ReportOrigin, scripts: readonly ScriptPlace[]): Promise<FoundMapping[]> {
  const { gameId, buildId, version, release, dist } = origin;
  const releases = [...new Set([release, version, ...readRelease(release, dist).versions])].filter(Boolean);
  const search = searchFor(scripts);
  const found = await findMappings(ctx.db, gameId, { ...search, buildId, releases });
  const next = searchForMaps(found, search);
  if (next.debugIds.length === 0 && next.urls.length === 0) return found;
  return [...found, ...(await findMappings(ctx.db, gameId, { ...next, buildId, releases }))];
}

async function markAll(ctx: Context, gameId: string, files: readonly (FoundMapping | null)[]): Promise<void> {
  const unmarked = files.flatMap((file) => (file === null || file.is_used_today ? [] : [file.mapping_uid]));
  if (unmarked.length > 0) await markUsed(ctx.db, gameId, unmarked);
}

/** The event with its stacks as the sources have them. */
export async function resolveEvent(
  ctx: Context,
  origin: Omit<ReportOrigin, 'release' | 'dist'>,
  event: StoredEvent,
): Promise<Resolved<StoredEvent>> {
  const ofEvent = { ...origin, release: event.release, dist: event.dist };
  const scripts = await resolveScriptsOf(ctx, ofEvent, event);
  const java = await resolveJavaOf(ctx, ofEvent, scripts.value);
  const missing = [...new Set([...scripts.missing, ...java.missing])].slice(0, MAX_MISSING);
  return { value: java.value, missing, ...((scripts.depends || java.depends) && { depends: true }) };
}

async function resolveScriptsOf(
  ctx: Context,
  origin: ReportOrigin,
  event: StoredEvent,
): Promise<Resolved<StoredEvent>> {
  const idAt = debugIdsIn(event);
  const placed = stacksOf(event).map(({ frames }) =>
    frames.map((frame): PlacedFrame | null => {
      const place = frame.path || frame.file;
      if (frame.line === null || frame.column === null || languageOf(frame, event) !== 'javascript') return null;
      return { function: frame.function, line: frame.line, column: frame.column, place, debugId: idAt(frame) };
    }),
  );
  if (placed.every((stack) => stack.every((frame) => frame === null))) return { value: event, missing: [] };
  const { value, ...rest } = await resolveScripts(ctx, origin, placed);
  const stacks = value.map((frames, at) => {
    const stack = stacksOf(event)[at]!;
    return { ...stack, frames: stack.frames.map((frame, index) => withSource(frame, frames[index] ?? null)) };
  });
  return { value: withStacks(event, stacks), ...rest };
}

/** The debug id of the script of a frame; empty without one. An integration may have shortened the URL of one of both. */
function debugIdsIn({ images }: StoredEvent): (frame: SentryFrame) => string {
  const ids = new Map<string, string>();
  const byUrl = new Map<string, string | null>();
  for (const { type, file, debugId } of images) {
    if (type !== 'sourcemap' || debugId === null) continue;
    ids.set(file, debugId);
    const url = scriptUrlOf(file);
    byUrl.set(url, (byUrl.get(url) ?? debugId) === debugId ? debugId : null);
  }
  return ({ path, file }) => ids.get(path || file) ?? ids.get(file) ?? byUrl.get(scriptUrlOf(path || file)) ?? '';
}

function withSource(frame: SentryFrame, found: SourceFrame | null): SentryFrame {
  if (found === null) return frame;
  const { function: name, file, line, column, isLibrary, source } = found;
  return {
    ...frame,
    function: name,
    module: '',
    file,
    path: '',
    line,
    column,
    isInApp: isLibrary ? false : frame.isInApp,
    source,
  };
}

/** The stacks of exceptions, then those of threads. */
function stacksOf({ exceptions, threads }: StoredEvent): Stack[] {
  return [...exceptions, ...threads].map(({ stack }) => stack);
}

function withStacks(event: StoredEvent, stacks: readonly Stack[]): StoredEvent {
  const { exceptions, threads } = event;
  return {
    ...event,
    exceptions: exceptions.map((each, index) => ({ ...each, stack: stacks[index]! })),
    threads: threads.map((each, index) => ({ ...each, stack: stacks[exceptions.length + index]! })),
  };
}

async function resolveJavaOf(ctx: Context, origin: ReportOrigin, event: StoredEvent): Promise<Resolved<StoredEvent>> {
  const debugIds = event.images.flatMap(({ type, debugId }) =>
    type === 'proguard' && debugId !== null ? [debugId] : [],
  );
  const isJava = (frame: SentryFrame) => languageOf(frame, event) === 'java' && frame.address === null;
  if (!stacksOf(event).some(({ frames }) => frames.some(isJava))) return { value: event, missing: [] };
  const thrown = event.exceptions.map((exception) => classOf(exception));
  const sent = stacksOf(event).map(({ frames }, index) => ({
    thrown: thrown[index] ?? '',
    frames: frames.map(javaFrameOf),
  }));
  const { value: stacks, ...rest } = await resolveJava(ctx, origin, debugIds, sent);
  if (stacks === null) return { value: event, ...rest };
  const resolved = withStacks(
    event,
    stacksOf(event).map((stack, at) => ({
      ...stack,
      frames: stack.frames.flatMap((frame, index) =>
        isJava(frame) ? (stacks[at]?.frames[index] ?? []).map((found) => withJava(frame, found)) : [frame],
      ),
    })),
  );
  const exceptions = resolved.exceptions.map((each, index) => withClass(each, stacks[index]?.thrown ?? ''));
  return { value: { ...resolved, exceptions }, ...rest };
}

/** A stack of Java or Kotlin, innermost first, and the class of its exception with its package; empty without one. */
export type JavaStack = { readonly thrown: string; readonly frames: readonly JavaFrame[] };

/** Each frame as the sources have it: several for one where functions were inlined, or none. */
export type ResolvedJavaStack = { readonly thrown: string; readonly frames: readonly (readonly JavaFrame[])[] };

/** The stacks in the sources; null without a mapping. `debugIds` are those of the mappings that the report names. */
export async function resolveJava(
  ctx: Context,
  origin: Pick<ReportOrigin, 'gameId' | 'buildId'>,
  debugIds: readonly string[],
  stacks: readonly JavaStack[],
): Promise<Resolved<readonly ResolvedJavaStack[] | null>> {
  const ids = debugIds.slice(0, MAX_SCRIPTS);
  const depends = true;
  const mapping = await findProguard(ctx, origin, ids);
  if (mapping === undefined)
    return { value: null, missing: ids.map((debugId) => formatMissing('proguard', { url: '', debugId })), depends };
  await markAll(ctx, origin.gameId, [mapping]);
  const output = await run(ctx, {
    task: 'java',
    blobSettings: ctx.blobs.settings,
    mapping: mapping.blob_key,
    stacks,
  });
  return { value: output?.task === 'java' ? output.stacks : null, missing: [], depends };
}

/** The mapping with one of the ids. Programs without Sentry's plug-in for Gradle say none, so that of the build counts. */
async function findProguard(
  ctx: Context,
  { gameId, buildId }: Pick<ReportOrigin, 'gameId' | 'buildId'>,
  debugIds: readonly string[],
): Promise<FoundMapping | undefined> {
  if (debugIds.length === 0) return findProguardOfBuild(ctx.db, gameId, buildId);
  const found = await findMappings(ctx.db, gameId, {
    debugIds: [...debugIds],
    urls: [],
    names: [],
    buildId,
    releases: [],
  });
  return found.find(({ kind }) => kind === 'proguard');
}

/** The class of an exception with its package, as Java sends it. */
function classOf({ type, module }: SentryException): string {
  return module === '' || type.startsWith(`${module}.`) ? type : `${module}.${type}`;
}

function withClass(exception: SentryException, name: string): SentryException {
  if (name === '' || name === classOf(exception)) return exception;
  const dot = name.lastIndexOf('.');
  return { ...exception, module: name.slice(0, Math.max(0, dot)), type: name.slice(dot + 1) };
}

function javaFrameOf({ module, function: method, file, line }: SentryFrame): JavaFrame {
  return { class: module, method, file, line };
}

function withJava(frame: SentryFrame, { class: module, method, file, line }: JavaFrame): SentryFrame {
  return { ...frame, module, function: method, file, path: '', line };
}

/** Resolves lines of C++ that IL2CPP generated; null for each without a line of C#. */
export async function resolveLines(
  ctx: Context,
  mapping: FoundMapping,
  places: readonly { readonly file: string; readonly line: number }[],
): Promise<readonly ({ readonly file: string; readonly line: number } | null)[]> {
  const output = await run(ctx, { task: 'lines', blobSettings: ctx.blobs.settings, mapping: mapping.blob_key, places });
  return output?.task === 'lines' ? output.places : places.map(() => null);
}

/** The keys of the blobs. Null if the map is in the script, or the script is unknown. */
export type FilesOfScript = { readonly map: string | null; readonly script: string | null };

export type ResolveInput = { readonly blobSettings: BlobSettings } & (
  | {
      readonly task: 'scripts';
      readonly files: readonly FilesOfScript[];
      /** `script` is the number of its files; -1 without any. */
      readonly stacks: readonly (readonly ((ScriptFrame & { readonly script: number }) | null)[])[];
    }
  | {
      readonly task: 'java';
      readonly mapping: string;
      readonly stacks: readonly JavaStack[];
    }
  | {
      readonly task: 'lines';
      readonly mapping: string;
      readonly places: readonly { readonly file: string; readonly line: number }[];
    }
);

export type ResolveOutput =
  | { readonly task: 'scripts'; readonly stacks: (SourceFrame | null)[][] }
  | {
      readonly task: 'java';
      readonly stacks: readonly ResolvedJavaStack[] | null;
    }
  | { readonly task: 'lines'; readonly places: readonly ({ readonly file: string; readonly line: number } | null)[] };

const THREAD = new URL('./resolve.thread.ts', import.meta.url);
const MAX_TIME = 30 * SECOND;

/** One thread, so that the memory for large files is needed once, and files that were read are found again. */
const poolOf = perContext(() =>
  createThreadPool<ResolveInput, ResolveOutput, never, never>(THREAD, {
    size: 1,
    timeoutMs: MAX_TIME,
    maxHeapMb: MAPPING_HEAP_MB,
  }),
);

/** Null if the stacks take too much time or memory, which was allowed for the check of each file. */
async function run(ctx: Context, input: ResolveInput): Promise<ResolveOutput | null> {
  try {
    return await poolOf(ctx).run(input, () => Promise.reject(new Error('nothing was to be asked')));
  } catch (error) {
    if (!(error instanceof ThreadTimeoutError || (error instanceof ThreadCrashError && error.reason === 'memory')))
      throw error;
    ctx.log.warn({ err: error }, 'a stack could not be resolved with its source maps');
    return null;
  }
}
