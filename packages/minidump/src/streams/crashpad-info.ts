// CrashpadInfoStream: the report’s and the client’s ids, and the annotations that the program and its modules left for a crash.
import type { Cursor } from '../bytes.ts';
import { MinidumpError } from '../error.ts';
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
    return {
      version,
      reportId,
      clientId,
      simpleAnnotations: readPart(input, simple, 'the annotations', readDictionary) ?? new Map(),
      modules: readPart(input, modules, 'the list of modules', readModules) ?? [],
    };
  },
};

/** A part that cannot be read takes nothing else with it. */
function readPart<T>(
  input: StreamInput,
  place: Location,
  what: string,
  read: (input: StreamInput) => T,
): T | undefined {
  if (place.size === 0) return undefined;
  try {
    // Many modules may point to one list: reading it each time must be paid for, however short its texts are.
    const bytes = input.dump.copyable(place);
    return read({ ...input, bytes, claimedSize: place.size });
  } catch (error) {
    if (!(error instanceof MinidumpError)) throw error;
    input.warn(`${what} cannot be read: ${error.message}`);
    return undefined;
  }
}

/** A count and entries; Crashpad’s lists inside the stream have no padding. */
function readCounted<T>(input: StreamInput, entrySize: number, readEntry: (entry: Cursor) => T): T[] {
  return readEntries(input, { start: 4, entrySize, count: input.bytes.u32(0) }, readEntry);
}

function readDictionary(input: StreamInput): Map<string, string> {
  const { dump } = input;
  return new Map(
    readCounted(input, 8, (entry) => [readUtf8String(dump, entry.u32()), readUtf8String(dump, entry.u32())] as const),
  );
}

function readStrings(input: StreamInput): string[] {
  return readCounted(input, 4, (entry) => readUtf8String(input.dump, entry.u32()));
}

function readObjects(input: StreamInput): AnnotationObject[] {
  return readCounted(input, 12, (entry) => {
    const name = readUtf8String(input.dump, entry.u32());
    const type = entry.u16();
    entry.skip(2);
    const valueRva = entry.u32();
    // A value is a count of bytes and they, which for a text is a string like all others.
    return { name, type, value: type === TEXT_TYPE ? readUtf8String(input.dump, valueRva) : undefined };
  });
}

function readModules(input: StreamInput): CrashpadModule[] {
  return readCounted(input, 12, (entry) => {
    const moduleIndex = entry.u32();
    return readPart(input, readLocation(entry), `module ${moduleIndex}`, (part) => readModule(part, moduleIndex));
  }).filter((module) => module !== undefined);
}

function readModule(input: StreamInput, moduleIndex: number): CrashpadModule {
  const cursor = input.bytes.cursor();
  // The version, which is 1 so far.
  cursor.skip(4);
  const [list, simple, objects] = [readLocation(cursor), readLocation(cursor), readLocation(cursor)];
  const what = (part: string) => `the ${part} of module ${moduleIndex}`;
  return {
    moduleIndex,
    listAnnotations: readPart(input, list, what('list of annotations'), readStrings) ?? [],
    simpleAnnotations: readPart(input, simple, what('annotations'), readDictionary) ?? new Map(),
    annotationObjects: readPart(input, objects, what('annotation objects'), readObjects) ?? [],
  };
}
