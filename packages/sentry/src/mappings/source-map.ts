// Source maps: the place in the sources for one in a script, and lines of the sources. The maps come from anyone, so
// nothing in them is trusted: reading one throws a MappingError, takes memory in proportion to what it decodes to, and is
// to be done in a thread with limits.
import { AnyMap, type SourceMapInput, sourceContentFor, type TraceMap, traceSegment } from '@jridgewell/trace-mapping';
import { MappingError } from './error.ts';
import { SourceFunctions } from './source-functions.ts';

/** A place in a source. */
export type SourcePlace = {
  /** The name of the source for people, such as `src/player.ts`. */
  readonly file: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  /** What the source has at the place, if the map says so. */
  readonly name: string | null;
  /** Whether it is a package of others. */
  readonly isLibrary: boolean;
};

/** Lines of a source: those before a line, the line, and those after it. */
export type SourceLines = { readonly before: string[]; readonly line: string; readonly after: string[] };

/** Lines that are longer are cut: in a minified source, a line is the whole program. */
const MAX_LINE_LENGTH = 250;
const MAX_NAME_LENGTH = 300;

/** Packages, and what bundlers add. */
const LIBRARY =
  /(?:^|[\\/])node_modules[\\/]|(?:^|[\\/\0])(?:webpack|vite|rolldown)\/(?:runtime|bootstrap|preload|modulepreload)|^webpack:\/\/\/?webpack\/|\(webpack\)/;

export class SourceMap {
  readonly #map: TraceMap;
  readonly #functions: SourceFunctions;
  /** The sources that the bundler says aren't of the program. */
  readonly #ignored: ReadonlySet<number>;
  /** The lines of the sources that were asked for. */
  readonly #lines = new Map<string, readonly string[]>();

  /** Throws a MappingError if it isn't a source map. */
  constructor(text: string) {
    const json = parseJson(text);
    this.#map = parse(json);
    this.#functions = new SourceFunctions(json);
    this.#ignored = new Set(this.#map.ignoreList ?? []);
  }

  /** The place for a line and a column of the script, which count from 1. Null if the map has none. */
  placeAt(line: number, column: number): SourcePlace | null {
    const found = this.#find(line, column);
    if (found === null) return null;
    const { source, segment } = found;
    const name = segment.length === 5 ? this.#map.names[segment[4]] : undefined;
    return {
      file: formatSource(source),
      line: segment[2] + 1,
      column: segment[3] + 1,
      name: typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME_LENGTH) : null,
      isLibrary: LIBRARY.test(source) || this.#ignored.has(segment[1]),
    };
  }

  /** The name of the function around the place, if the map has those of its sources; null if it doesn't say. */
  functionAt(line: number, column: number): string | null {
    const found = this.#find(line, column);
    if (found === null) return null;
    const [, source, sourceLine, sourceColumn] = found.segment;
    return this.#functions.nameAt(source, sourceLine + 1, sourceColumn);
  }

  /** The name that begins at the place: that of the map, or else the word in the source. Null without either. */
  nameAt(line: number, column: number): string | null {
    const found = this.#find(line, column);
    // A segment that begins before the place is of something else.
    if (found === null || found.segment[0] !== column - 1) return null;
    const { source, segment } = found;
    const name = segment.length === 5 ? this.#map.names[segment[4]] : undefined;
    if (typeof name === 'string' && name !== '') return name.slice(0, MAX_NAME_LENGTH);
    const rest = this.#linesOf(source)?.[segment[2]]?.slice(segment[3], segment[3] + MAX_NAME_LENGTH) ?? '';
    return /^#?[\p{L}_$][\p{L}\p{N}_$]*/u.exec(rest)?.[0] ?? null;
  }

  /**
   * The name of a function without one in the script, whose body begins at the place: minifiers drop the name of one that
   * is used once, such as of `const explode = (cause) => {`. Null if the source has none on the line.
   */
  nameOfBodyAt(line: number, column: number): string | null {
    const found = this.#find(line, column);
    if (found === null || found.segment[0] !== column - 1) return null;
    const text = this.#linesOf(found.source)?.[found.segment[2]] ?? '';
    const at = found.segment[3];
    return ASSIGNED.exec(text.slice(Math.max(0, at - MAX_NAME_LENGTH), at))?.[1] ?? null;
  }

  /** The lines around the one for a place in the script. Null if the map doesn't contain the source. */
  linesAt(line: number, column: number, context: number): SourceLines | null {
    const found = this.#find(line, column);
    const lines = found === null ? null : this.#linesOf(found.source);
    const at = found?.segment[2] ?? 0;
    if (lines == null || at >= lines.length) return null;
    const cut = (from: number, to: number) =>
      lines.slice(Math.max(0, from), to).map((text) => text.slice(0, MAX_LINE_LENGTH));
    return { before: cut(at - context, at), line: cut(at, at + 1)[0]!, after: cut(at + 1, at + 1 + context) };
  }

  #find(line: number, column: number) {
    if (line < 1) return null;
    const segment = traceSegment(this.#map, line - 1, Math.max(0, column - 1));
    if (segment === null || segment.length === 1) return null;
    const source = this.#map.resolvedSources[segment[1]];
    // Code without a source has an empty one.
    return typeof source === 'string' && source !== '' ? { source, segment } : null;
  }

  #linesOf(source: string): readonly string[] | null {
    const known = this.#lines.get(source);
    if (known !== undefined) return known;
    const content: unknown = sourceContentFor(this.#map, source);
    if (typeof content !== 'string') return null;
    const lines = content.split(/\r\n|\n|\r/);
    this.#lines.set(source, lines);
    return lines;
  }
}

/** `explode = (cause: string): void => `, `explode: async (cause) => `, `explode = cause => `, `explode = function `. */
const ASSIGNED =
  /(?<![\p{L}\p{N}_$#])(#?[\p{L}_$][\p{L}\p{N}_$]{0,100}) ?(?::[^={}]{1,100})?[=:] ?(?:async ?)?(?:function\b[^=]{0,200}|\(.{0,200}=> ?|[\p{L}_$][\p{L}\p{N}_$]{0,100} ?=> ?)$/u;

/** Throws a MappingError for anything but the JSON of a source map. */
function parseJson(text: string): object {
  let json: unknown;
  try {
    // Some servers put this line before JSON, so that it can't be run as a script.
    json = JSON.parse(text.replace(/^\ufeff/, '').replace(/^\)\]\}'[^\n]*\n/, ''));
  } catch (cause) {
    throw new MappingError('it is not valid JSON', { cause });
  }
  requireShape(json, 0);
  return json as object;
}

function parse(json: object): TraceMap {
  try {
    const map = new AnyMap(json as SourceMapInput);
    // This decodes the mappings.
    traceSegment(map, 0, 0);
    return map;
  } catch (cause) {
    if (cause instanceof MappingError) throw cause;
    throw new MappingError('its mappings are malformed', { cause });
  }
}

/** The specification forbids sections in sections. */
const MAX_DEPTH = 4;

/** Checks what the library takes for granted. */
function requireShape(json: unknown, depth: number): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new MappingError('it is not a source map');
  const { version, sections, mappings, sources, names = [], sourcesContent } = json as Record<string, unknown>;
  if (Number(version ?? 3) !== 3) throw new MappingError('it is not a source map of version 3');
  if (sections !== undefined) {
    if (depth === MAX_DEPTH || !Array.isArray(sections)) throw new MappingError('its sections are malformed');
    for (const section of sections as Record<string, unknown>[]) {
      const { line, column } = (section?.offset ?? {}) as Record<string, unknown>;
      if (!isCount(line) || !isCount(column)) throw new MappingError('its sections are malformed');
      if (section.url !== undefined) throw new MappingError('its sections refer to other files');
      requireShape(section.map, depth + 1);
    }
    return;
  }
  if (typeof mappings !== 'string' || !Array.isArray(sources) || !Array.isArray(names))
    throw new MappingError('it has no mappings');
  if (sourcesContent != null && !Array.isArray(sourcesContent)) throw new MappingError('its sources are malformed');
  if (sources.some((source) => source !== null && typeof source !== 'string'))
    throw new MappingError('its sources are malformed');
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
}

/** `src/player.ts` for `webpack://game/./src/player.ts?4f2a` and `../../src/player.ts`. */
function formatSource(source: string): string {
  const path = source
    .slice(0, MAX_NAME_LENGTH * 2)
    .replaceAll('\0', '')
    .replace(/^(?:webpack|webpack-internal|rollup|ng|turbopack|parcel|vite):\/\/(?:[^/]*\/)?/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^(?:\.{0,2}\/)+/, (prefix) => (/^\/$/.test(prefix) ? prefix : ''))
    .replaceAll('/./', '/');
  return path.slice(-MAX_NAME_LENGTH) || source.slice(0, MAX_NAME_LENGTH);
}

const DATA_URL =
  /(?:\/\/|\/\*)[#@] sourceMappingURL=data:application\/(?:json|source-map)((?:;[\w=-]{1,40}){0,4}),([^\s'"*]+)/g;

/** The text of the source map in a script, as development builds have it; null without one. */
export function inlineMapOf(script: string): string | null {
  const match = [...script.matchAll(DATA_URL)].at(-1);
  if (match === undefined) return null;
  const [, parameters = '', data = ''] = match;
  if (parameters.includes(';base64')) return Buffer.from(data, 'base64').toString();
  try {
    return decodeURIComponent(data);
  } catch {
    return null;
  }
}
