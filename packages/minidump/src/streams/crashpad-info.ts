// CrashpadInfoStream: the ids of the report and the client, and the annotations of the program and its modules.
import type { Cursor } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { readUtf8String } from './strings.ts';
import { readEntries, readGuid, readLocation } from './structures.ts';

type CrashpadInfo = {
  readonly version: number;
  /** 32 upper-case hex digits. */
  readonly reportId: string;
  /** The same for all reports of one installation; zeros if unknown. */
  readonly clientId: string;
  /** Annotations of the process, by key. */
  readonly simpleAnnotations: ReadonlyMap<string, string>;
  readonly modules: readonly CrashpadModule[];
};

export type CrashpadModule = {
  /** Index of the module in ModuleListStream. */
  readonly moduleIndex: number;
  readonly listAnnotations: readonly string[];
  readonly simpleAnnotations: ReadonlyMap<string, string>;
  readonly annotationObjects: readonly AnnotationObject[];
};

type AnnotationObject = {
  readonly name: string;
  /** 1 for a text; types from 0x8000 are defined by the program. */
  readonly type: number;
  /** The text, for type 1; undefined for other types, which only the program can interpret. */
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
    const label = 'the annotations';
    const readSimple = (part: StreamInput) => readDictionary(part, label);
    return {
      version,
      reportId,
      clientId,
      simpleAnnotations: readPart(input, simple, { label, minSize: COUNT_SIZE, read: readSimple }) ?? new Map(),
      modules: readPart(input, modules, { label: 'the modules', minSize: COUNT_SIZE, read: readModules }) ?? [],
    };
  },
};

/** A part of the stream. If it cannot be read, the other parts still can. `label` names it in warnings. */
type Part<T> = { readonly label: string; readonly minSize: number; read(input: StreamInput): T };

function readPart<T>(input: StreamInput, location: Location, { label, minSize, read }: Part<T>): T | undefined {
  if (location.size === 0) return undefined;
  // Many modules can point to the same list, so each copy counts against the limit, even if its texts are short.
  const bytes = input.dump.copyable(location);
  if (bytes !== undefined && bytes.size >= minSize) return read({ ...input, bytes, claimedSize: location.size });
  input.warn(`${label} cannot be read`);
  return undefined;
}

const COUNT_SIZE = 4;

/** Reads a count and entries. Crashpad's lists have no padding after the count. */
function readCounted<T>(input: StreamInput, entrySize: number, readEntry: (entry: Cursor) => T[]): T[] {
  return readEntries(input, { start: COUNT_SIZE, entrySize, count: input.bytes.u32(0) }, readEntry).flat();
}

function readDictionary(input: StreamInput, label: string): ReadonlyMap<string, string> {
  const pairs = readCounted(input, 8, (entry) => {
    const key = readUtf8String(input.dump, entry.u32());
    const value = readUtf8String(input.dump, entry.u32());
    if (key !== undefined && value !== undefined) return [[key, value] as const];
    input.warn(`one of ${label} cannot be read`);
    return [];
  });
  return new Map(pairs);
}

function readStrings(input: StreamInput, label: string): string[] {
  return readCounted(input, 4, (entry) => {
    const text = readUtf8String(input.dump, entry.u32());
    if (text === undefined) input.warn(`one of ${label} cannot be read`);
    return text === undefined ? [] : [text];
  });
}

function readObjects(input: StreamInput, label: string): AnnotationObject[] {
  return readCounted(input, 12, (entry) => {
    const name = readUtf8String(input.dump, entry.u32());
    const type = entry.u16();
    entry.skip(2);
    // A value is a size and bytes. For a text, this is the format of an ordinary string.
    const value = type === TEXT_TYPE ? readUtf8String(input.dump, entry.u32()) : undefined;
    if (name !== undefined && (type !== TEXT_TYPE || value !== undefined)) return [{ name, type, value }];
    input.warn(`one of ${label} cannot be read`);
    return [];
  });
}

function readModules(input: StreamInput): CrashpadModule[] {
  return readCounted(input, 12, (entry) => {
    const moduleIndex = entry.u32();
    const read = (part: StreamInput) => readModule(part, moduleIndex);
    const label = `module ${moduleIndex}`;
    const module = readPart(input, readLocation(entry), { label, minSize: MODULE_SIZE, read });
    return module === undefined ? [] : [module];
  });
}

/** The version (always 1) and two locations. */
const MODULE_SIZE = 20;
/** The size with a third location, for annotation objects. Crashpad added it without changing the version. */
const MODULE_SIZE_WITH_OBJECTS = 28;

function readModule(input: StreamInput, moduleIndex: number): CrashpadModule {
  const cursor = input.bytes.cursor(4);
  const hasObjects = input.bytes.size >= MODULE_SIZE_WITH_OBJECTS;
  const list = <T>(name: string, read: (input: StreamInput, label: string) => T): T | undefined => {
    const label = `the ${name} of module ${moduleIndex}`;
    return readPart(input, readLocation(cursor), { label, minSize: COUNT_SIZE, read: (part) => read(part, label) });
  };
  return {
    moduleIndex,
    listAnnotations: list('listed annotations', readStrings) ?? [],
    simpleAnnotations: list('annotations', readDictionary) ?? new Map(),
    annotationObjects: (hasObjects ? list('annotation objects', readObjects) : undefined) ?? [],
  };
}
