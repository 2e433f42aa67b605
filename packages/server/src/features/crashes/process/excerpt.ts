// The part of a walked dump that is stored in the report's row: enough for lists, the search and the report's page.
import type { Frame, ModuleReport, Report } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import type { DumpSystem } from '../groups/facet-rules.ts';
import { crashedThread } from '../groups/grouping.ts';

/** One function of the stack, innermost first. Inlined functions come before the function that contains them. */
export type ExcerptFrame = {
  readonly function: string | null;
  readonly module: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** Within the module, such as `0x14`; null without a module. */
  readonly offset: string | null;
  readonly trust: Frame['trust'];
  readonly inlined: boolean;
};

export type Excerpt = {
  /** Such as `0x14`. */
  readonly crashAddress: string | null;
  /** The top of the crashed thread. */
  readonly frames: readonly ExcerptFrame[];
  /** The names of all functions of the crashed thread, each once. */
  readonly functions: readonly string[];
  /** The modules on stacks that had no readable symbols: `debug_file/debug_id`. */
  readonly missingSymbols: readonly string[];
  readonly system: DumpSystem;
};

export const EXCERPT_LIMITS = {
  frames: 64,
  functions: 256,
  missing: 256,
  /** Characters of a name. A character takes up to three bytes, and an index entry of PostgreSQL up to 2,700. */
  nameLength: 500,
} as const;

/**
 * Expects a report without private paths. All text is made printable, as PostgreSQL rejects NUL and, in JSON, lone
 * surrogates.
 */
export function excerptOf(report: Report): Excerpt {
  const stack = (crashedThread(report)?.frames ?? []).flatMap(unfold);
  return {
    crashAddress: report.crash_info.address === null ? null : trimZeros(report.crash_info.address),
    frames: stack.slice(0, EXCERPT_LIMITS.frames),
    functions: distinct(stack.flatMap(({ function: name }) => (name === null ? [] : [name]))).slice(
      0,
      EXCERPT_LIMITS.functions,
    ),
    missingSymbols: distinct(report.modules.filter(isMissingSymbols).map(formatModule)).slice(
      0,
      EXCERPT_LIMITS.missing,
    ),
    system: systemOf(report),
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

/** `debug_file/debug_id`, as missing symbols are listed. */
export function formatModule({ debug_file, debug_id }: Pick<ModuleReport, 'debug_file' | 'debug_id'>): string {
  return `${nameOf(debug_file)}/${nameOf(debug_id)}`;
}

/** Without a debug id, nothing could be uploaded for the module. */
function isMissingSymbols({ symbols, debug_file, debug_id }: ModuleReport): boolean {
  return (symbols === 'missing' || symbols === 'corrupt') && debug_file !== '' && debug_id !== '';
}

function unfold(frame: Frame): ExcerptFrame[] {
  const place = {
    module: frame.module === null ? null : nameOf(frame.module),
    offset: frame.module_offset === null ? null : trimZeros(frame.module_offset),
    trust: frame.trust,
  };
  return [
    ...frame.inlines.map((inline) => ({ ...functionOf(inline), ...place, inlined: true })),
    { ...functionOf(frame), ...place, inlined: false },
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
