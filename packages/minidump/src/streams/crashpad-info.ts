// CrashpadInfoStream: the report’s and the client’s ids, and the annotations that the program and its modules left for a crash.
import type { Cursor } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { readGuid } from './guid.ts';
import { readEntries } from './list.ts';
import { readLocation } from './locations.ts';
import { readUtf8String } from './strings.ts';

export type CrashpadInfo = {
  readonly version: number;
  /** 32 upper-case hex digits. */
  readonly reportId: string;
  /** The same for all reports of one installation; zeros when it has none. */
  readonly clientId: string;
  /** Of the whole process, by key. */
  readonly simpleAnnotations: ReadonlyMap<string, string>;
  readonly modules: readonly CrashpadModule[];
};

export type CrashpadModule = {
  /** Which module of the dump’s ModuleListStream; it counts from 0. */
  readonly moduleIndex: number;
  readonly listAnnotations: readonly string[];
  readonly simpleAnnotations: ReadonlyMap<string, string>;
  readonly annotationObjects: readonly AnnotationObject[];
};

export type AnnotationObject = {
  readonly name: string;
  /** 1 for a text; from 0x8000 on what the program likes. */
  readonly type: number;
  /** The text of type 1; undefined for others, whose bytes only the program understands. */
  readonly value: string | undefined;
};

const TEXT_TYPE = 1;

export const CRASHPAD_INFO: StreamKind<CrashpadInfo> = {
  type: 0x43500001,
  name: 'CrashpadInfoStream',
  read: (input) => {
    const cursor = input.bytes.cursor();
    const version = cursor.u32();
    const reportId = readGuid(cursor);
    const clientId = readGuid(cursor);
    const simple = readLocation(cursor);
    const modules = readLocation(cursor);
    const what = 'the annotations';
    const readSimple = (part: StreamInput) => readDictionary(part, what);
    return {
      version,
      reportId,
      clientId,
      simpleAnnotations: readPart(input, simple, { what, minSize: COUNT_SIZE, read: readSimple }) ?? new Map(),
      modules: readPart(input, modules, { what: 'the modules', minSize: COUNT_SIZE, read: readModules }) ?? [],
    };
  },
};

/** A part of at least so many bytes. One that cannot be read takes nothing else with it. */
type Part<T> = { readonly what: string; readonly minSize: number; read(input: StreamInput): T };

function readPart<T>(input: StreamInput, place: Location, { what, minSize, read }: Part<T>): T | undefined {
  if (place.size === 0) return undefined;
  // Many modules may point to one list: reading it each time must be paid for, however short its texts are.
  const bytes = input.dump.copyable(place);
  if (bytes !== undefined && bytes.size >= minSize) return read({ ...input, bytes, claimedSize: place.size });
  input.warn(`${what} cannot be read`);
  return undefined;
}

const COUNT_SIZE = 4;

/** A count and entries; Crashpad’s lists inside the stream have no padding. */
function readCounted<T>(input: StreamInput, entrySize: number, readEntry: (entry: Cursor) => T[]): T[] {
  return readEntries(input, { start: COUNT_SIZE, entrySize, count: input.bytes.u32(0) }, readEntry).flat();
}

function readDictionary(input: StreamInput, what: string): ReadonlyMap<string, string> {
  const pairs = readCounted(input, 8, (entry) => {
    const key = readUtf8String(input.dump, entry.u32());
    const value = readUtf8String(input.dump, entry.u32());
    if (key !== undefined && value !== undefined) return [[key, value] as const];
    input.warn(`one of ${what} cannot be read`);
    return [];
  });
  return new Map(pairs);
}

function readStrings(input: StreamInput, what: string): string[] {
  return readCounted(input, 4, (entry) => {
    const text = readUtf8String(input.dump, entry.u32());
    if (text === undefined) input.warn(`one of ${what} cannot be read`);
    return text === undefined ? [] : [text];
  });
}

function readObjects(input: StreamInput, what: string): AnnotationObject[] {
  return readCounted(input, 12, (entry) => {
    const name = readUtf8String(input.dump, entry.u32());
    const type = entry.u16();
    entry.skip(2);
    // A value is a count of bytes and they, which for a text is a string like all others.
    const value = type === TEXT_TYPE ? readUtf8String(input.dump, entry.u32()) : undefined;
    if (name !== undefined && (type !== TEXT_TYPE || value !== undefined)) return [{ name, type, value }];
    input.warn(`one of ${what} cannot be read`);
    return [];
  });
}

function readModules(input: StreamInput): CrashpadModule[] {
  return readCounted(input, 12, (entry) => {
    const moduleIndex = entry.u32();
    const read = (part: StreamInput) => readModule(part, moduleIndex);
    const what = `module ${moduleIndex}`;
    const module = readPart(input, readLocation(entry), { what, minSize: MODULE_SIZE, read });
    return module === undefined ? [] : [module];
  });
}

/** The version, which is 1 so far, and two places. */
const MODULE_SIZE = 20;
/** With a third place, for annotation objects. Crashpad added it without raising the version. */
const MODULE_SIZE_WITH_OBJECTS = 28;

function readModule(input: StreamInput, moduleIndex: number): CrashpadModule {
  const cursor = input.bytes.cursor(4);
  const hasObjects = input.bytes.size >= MODULE_SIZE_WITH_OBJECTS;
  const list = <T>(name: string, read: (input: StreamInput, what: string) => T): T | undefined => {
    const what = `the ${name} of module ${moduleIndex}`;
    return readPart(input, readLocation(cursor), { what, minSize: COUNT_SIZE, read: (part) => read(part, what) });
  };
  return {
    moduleIndex,
    listAnnotations: list('listed annotations', readStrings) ?? [],
    simpleAnnotations: list('annotations', readDictionary) ?? new Map(),
    annotationObjects: (hasObjects ? list('annotation objects', readObjects) : undefined) ?? [],
  };
}
