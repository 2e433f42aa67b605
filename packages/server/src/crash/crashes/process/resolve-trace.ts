// Reads the trace of a report with the source maps and mappings of its game: the frames of minified scripts and of renamed
// Java get the names and lines of the sources before the trace is grouped.
import type { StoredEvent } from '@chauffeur/sentry/event/event';
import type { SourceFrame } from '@chauffeur/sentry/mappings/script-frames';
import type { SourceLines } from '@chauffeur/sentry/mappings/source-map';
import type { Context } from '../../../context.ts';
import {
  type ReportOrigin,
  type Resolved,
  resolveEvent,
  resolveJava,
  resolveScripts,
} from '../../symbols/mappings/resolve.ts';
import { type DebugIds, debugIdAt, debugIdsOfImages, idsOfMappings } from '../report/debug-ids.ts';
import type { GroupingRow } from '../report/jobs.ts';
import {
  findTrace,
  findTraceInLines,
  hasFrames,
  limitedFrame,
  linesOf,
  type TracedText,
  tracedTextOf,
  traceOfReport,
} from '../text/find-trace.ts';
import { java } from '../text/formats/java.ts';
import { javascript, javascriptFrame } from '../text/formats/javascript.ts';
import { javaStacksIn, withJavaNames } from '../text/java-names.ts';
import { formatPlace, framesInText, withSources } from '../text/script-places.ts';
import type { Trace, TraceFrame } from '../text/trace.ts';
import { resolveWasm } from './resolve-wasm.ts';

type Report = Pick<GroupingRow, 'build_id' | 'app_version' | 'message' | 'metadata' | 'debug_ids'>;

/** The event of a report, resolved. */
export async function resolveEventOf(
  ctx: Context,
  gameId: string,
  { build_id: buildId, app_version: version }: Pick<Report, 'build_id' | 'app_version'>,
  event: StoredEvent,
): Promise<Resolved<StoredEvent>> {
  const { value, missing, ...rest } = await resolveEvent(ctx, { gameId, buildId, version }, event);
  const wasm = await resolveWasm(ctx, { gameId, buildId }, value);
  return { value: wasm.event, missing: [...missing, ...wasm.missing], ...rest };
}

/** What the trace in a text was resolved to. */
type ResolvedText = Resolved<Trace | null> & { readonly sources: FrameSources };

/** What the texts of a report may be resolved with. */
export type TextOrigin = ReportOrigin & { readonly debugIds: DebugIds };

/** An event without a stack may say which scripts and mappings the stack in a text is of. */
export function textOriginOf(
  gameId: string,
  { build_id: buildId, app_version: version, debug_ids: debugIds }: Report,
  event: StoredEvent | null,
): TextOrigin {
  const origin = { gameId, buildId, version, release: event?.release ?? '', dist: event?.dist ?? '' };
  return { ...origin, debugIds: debugIds ?? (event === null ? null : debugIdsOfImages(event.images)) };
}

/** The trace in the texts of a report. One of JavaScript or Java is read again from the texts as the sources have them. */
export async function resolveTextTrace(
  ctx: Context,
  origin: TextOrigin,
  { message, metadata }: Pick<Report, 'message' | 'metadata'>,
): Promise<ResolvedText> {
  const traced = tracedTextOf({ message, metadata });
  if (traced?.trace.format !== javascript.name) return resolveTraced(ctx, origin, traced);
  const texts = [['', message], ...Object.entries(metadata)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return resolveScriptTexts(ctx, origin, traced.trace, texts, ({ '': newMessage = message, ...changed }) =>
    traceOfReport({ message: newMessage, metadata: { ...metadata, ...changed } }),
  );
}

/** The same for a trace and the text that it is in. */
export async function resolveTraced(
  ctx: Context,
  origin: TextOrigin,
  traced: TracedText | null,
): Promise<ResolvedText> {
  if (traced?.trace.format === java.name)
    return { ...(await resolveJavaText(ctx, origin, traced)), sources: new FrameSources([]) };
  if (traced?.trace.format === javascript.name)
    return resolveScriptTexts(ctx, origin, traced.trace, [['', traced.text]], ({ '': text = '' }) =>
      findTrace(text, 'first'),
    );
  return { value: traced?.trace ?? null, missing: [], sources: new FrameSources([]) };
}

async function resolveScriptTexts(
  ctx: Context,
  { debugIds, ...origin }: TextOrigin,
  trace: Trace,
  texts: readonly (readonly [string, string])[],
  read: (texts: Readonly<Record<string, string>>) => Trace | null,
): Promise<ResolvedText> {
  // A line that isn't a frame, such as of a message, has no place.
  const stacks = texts.map(([, text]) =>
    framesInText(text).map((frame) => frame && { ...frame, debugId: debugIdAt(debugIds, frame.place) }),
  );
  const { value, ...rest } = await resolveScripts(ctx, origin, stacks);
  const sources = new FrameSources(value.flat());
  if (!value.flat().some((place) => place !== null)) return { value: trace, sources, ...rest };
  const resolved = texts.map(([key, text], index) => [key, withSources(text, value[index]!)] as const);
  return { value: read(Object.fromEntries(resolved)), sources, ...rest };
}

async function resolveJavaText(
  ctx: Context,
  { debugIds, ...origin }: TextOrigin,
  { text, trace }: TracedText,
): Promise<Resolved<Trace>> {
  const lines = linesOf(text);
  const stacks = javaStacksIn(lines);
  const sent = stacks.map(({ titles, frames }) => ({ thrown: titles[0]?.name ?? '', frames }));
  // The other names that may be those of exceptions.
  const names = [...new Set(stacks.flatMap(({ titles }) => titles.map(({ name }) => name)))].slice(0, MAX_NAMES);
  const asked = names.map((thrown) => ({ thrown, frames: [] }));
  const { value, ...rest } = await resolveJava(ctx, origin, idsOfMappings(debugIds), [...sent, ...asked]);
  if (value === null) return { value: trace, ...rest };
  const classes = new Map(names.map((name, index) => [name, value[stacks.length + index]?.thrown ?? name]));
  const named = stacks.map(({ titles }, index) => ({
    frames: value[index]?.frames ?? [],
    titles: titles.map(({ name }) => classes.get(name) ?? name),
  }));
  const found = findTraceInLines(withJavaNames(lines, stacks, named), 'first');
  return { value: found !== null && hasFrames(found) ? found : trace, ...rest };
}

/** Names that a text may have for exceptions; forged ones may have more. */
const MAX_NAMES = 200;

/** The lines around frames that were resolved, by the place that a frame of the trace has. */
export class FrameSources {
  /** Null for a place that two files of one name have. */
  readonly #places = new Map<string, SourceFrame | null>();

  constructor(places: readonly (SourceFrame | null)[]) {
    for (const place of places) {
      if (place === null) continue;
      const key = keyOf(limitedFrame(javascriptFrame(place.function, formatPlace(place))));
      const known = this.#places.get(key);
      this.#places.set(key, known === undefined || known?.file === place.file ? place : null);
    }
  }

  linesOf(frame: Placed): SourceLines | null {
    return this.#places.get(keyOf(frame))?.source ?? null;
  }
}

type Placed = Pick<TraceFrame, 'file' | 'line' | 'column'>;

function keyOf({ file, line, column }: Placed): string {
  return `${file}:${line}:${column}`;
}
