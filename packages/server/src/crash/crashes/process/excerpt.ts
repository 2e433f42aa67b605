// What is stored of a walked dump: the whole report in a blob, as compressed JSON, and the excerpt in the report's row,
// which is enough for lists, the search and the report's page.
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, zstdDecompress } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import type { Frame, ModuleReport, Report } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import type { ModuleId } from '@chauffeur/minidump/symbols/module-symbols';
import { formatReport } from '@chauffeur/minidump/text';
import { isPacked, unpackNow } from '../../../kernel/blobs/packed.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { type DumpNotes, notesOf } from '../groups/dump-notes.ts';
import type { DumpSystem } from '../groups/facet-rules.ts';
import { crashedThread } from '../groups/grouping.ts';
import { findStops, type WalkStop } from './walk-stops.ts';

/** One function of the stack, innermost first. Inlined functions come before the function that contains them. */
export type ExcerptFrame = {
  readonly function: string | null;
  readonly module: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** The offset in the module, such as `0x14`; null without a module. */
  readonly offset: string | null;
  readonly trust: Frame['trust'];
  readonly inlined: boolean;
};

export type Excerpt = {
  /** The address in hexadecimal digits, such as `0x14`. */
  readonly crashAddress: string | null;
  /** The top of the crashed thread. */
  readonly frames: readonly ExcerptFrame[];
  /** The names of all functions of the crashed thread, each once. */
  readonly functions: readonly string[];
  /**
   * The modules on stacks that had no readable symbols, or only functions or unwind rules, in the form of
   * `formatModule`. Symbols that arrive for one of them may improve the stack.
   */
  readonly missingSymbols: readonly string[];
  readonly stops: readonly WalkStop[];
  readonly system: DumpSystem;
  readonly notes: DumpNotes;
};

export const EXCERPT_LIMITS = {
  frames: 64,
  functions: 256,
  missing: 256,
  /** Characters of a name. A character takes up to three bytes, and an index entry of PostgreSQL up to 2,700. */
  nameLength: 500,
} as const;

/**
 * Expects a report without private paths. `partial` are modules on stacks that had only functions or unwind rules. All
 * text is made printable, as PostgreSQL rejects NUL and, in JSON, lone surrogates.
 */
export function excerptOf(report: Report, partial: readonly ModuleId[] = []): Excerpt {
  const stack = (crashedThread(report)?.frames ?? []).flatMap(unfold);
  return {
    crashAddress: report.crash_info.address === null ? null : trimZeros(report.crash_info.address),
    frames: stack.slice(0, EXCERPT_LIMITS.frames),
    functions: distinct(stack.flatMap(({ function: name }) => (name === null ? [] : [name]))).slice(
      0,
      EXCERPT_LIMITS.functions,
    ),
    missingSymbols: missingSymbolsOf(report, partial),
    stops: findStops(report),
    system: systemOf(report),
    notes: notesOf(report),
  };
}

function systemOf({ system_info: { os, os_ver, cpu_info, cpu_count }, lsb_release: release }: Report): DumpSystem {
  const name = release?.DISTRIB_ID ?? release?.NAME;
  const version = release?.DISTRIB_RELEASE ?? release?.VERSION_ID;
  return {
    os: nameOf(os),
    osVersion: nameOf(os_ver),
    distribution: name === undefined ? null : nameOf(`${name} ${version ?? ''}`).trim(),
    cpu: cpu_info === null ? null : nameOf(cpu_info),
    cores: cpu_count,
  };
}

/**
 * `name/id`, as missing symbols are listed: the name and id of the debug file, or those of the code file if it has
 * none. Null for a module without an id, for which nothing could be uploaded.
 */
export function formatModule(module: ModuleId): string | null {
  const { name, debugId, codeId } = identifyModule(module);
  const id = debugId || codeId;
  return name === '' || id === '' ? null : `${nameOf(name)}/${id}`;
}

function missingSymbolsOf({ modules }: Report, partial: readonly ModuleId[]): string[] {
  const missing = modules.filter(({ symbols }) => symbols === 'missing' || symbols === 'corrupt');
  const names = [...missing.map(moduleIdOf), ...partial].map(formatModule).filter((name) => name !== null);
  return distinct(names).slice(0, EXCERPT_LIMITS.missing);
}

export function moduleIdOf({ debug_file, debug_id, filename, code_id }: ModuleReport): ModuleId {
  return { debugFile: debug_file, debugId: debug_id, codeFile: filename, codeId: code_id };
}

function unfold(frame: Frame): ExcerptFrame[] {
  const inModule = {
    module: frame.module === null ? null : nameOf(frame.module),
    offset: frame.module_offset === null ? null : trimZeros(frame.module_offset),
    trust: frame.trust,
  };
  return [
    ...frame.inlines.map((inline) => ({ ...functionOf(inline), ...inModule, inlined: true })),
    { ...functionOf(frame), ...inModule, inlined: false },
  ];
}

function functionOf({ function: name, file, line }: Pick<Frame, 'function' | 'file' | 'line'>) {
  return {
    function: name === null ? null : nameOf(name) || null,
    file: file === null ? null : nameOf(file) || null,
    line,
  };
}

function nameOf(text: string): string {
  return cutTo(toPrintable(text), EXCERPT_LIMITS.nameLength);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** `0x00000014` → `0x14`. */
export function trimZeros(hex: string): string {
  return hex.replace(/^0x0+(?=.)/, '0x');
}

/** Old reports are compressed with gzip. */
const unpackers = { zstd: promisify(zstdDecompress), gzip: promisify(gunzip) };

/** The limits of the stackwalk keep reports far smaller. */
const MAX_BYTES = 256 * MIB;

/** The report under `key`. Rejects with BlobMissingError if the blob is gone. */
export async function readStoredReport(blobs: BlobStore, key: string): Promise<Report> {
  const unpack = isPacked(key) ? unpackers.zstd : unpackers.gzip;
  const json = await unpack(await buffer(await blobs.read(key)), { maxOutputLength: MAX_BYTES });
  return JSON.parse(json.toString()) as Report;
}

/** Does the same as `readStoredReport`, from the bytes of the blob. Blocks the thread. */
export function parseStoredReport(key: string, bytes: Uint8Array): Report {
  const json = isPacked(key) ? unpackNow(bytes, MAX_BYTES) : gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  return JSON.parse(json.toString()) as Report;
}

/** The text of the report stored under `key`. Rejects with BlobMissingError if the blob is gone. */
export async function readStackText(blobs: BlobStore, key: string): Promise<string> {
  return formatReport(await readStoredReport(blobs, key));
}
