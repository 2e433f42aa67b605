// What the row of a report keeps of its stackwalk: enough for lists, the search and the page of one report.
import type { Frame, ModuleReport, Report } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { crashedThread } from '../groups/grouping.ts';

/** One function of the stack, the innermost first; inlined ones stand before the one that they are in. */
export type ExcerptFrame = {
  readonly function: string | null;
  readonly module: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** In the module, `0x14`; null without a module. */
  readonly offset: string | null;
  readonly trust: Frame['trust'];
  readonly inlined: boolean;
};

export type Excerpt = {
  /** `0x14`. */
  readonly crashAddress: string | null;
  /** Top of the crashed thread. */
  readonly frames: readonly ExcerptFrame[];
  /** Every function named in the crashed thread, each once. */
  readonly functions: readonly string[];
  /** Modules of the stacks without symbols that could be read: `debug_file/debug_id`. */
  readonly missingSymbols: readonly string[];
};

export const EXCERPT_LIMITS = {
  frames: 64,
  functions: 256,
  missing: 256,
  /** Characters of one name. An index of PostgreSQL takes 2,700 bytes, and a character has up to three. */
  nameLength: 500,
} as const;

/** Of a report without private paths. All text is printable: PostgreSQL takes no NUL, and no half of a surrogate pair in JSON. */
export function excerptOf(report: Report): Excerpt {
  const stack = (crashedThread(report)?.frames ?? []).flatMap(unfold);
  return {
    crashAddress: report.crash_info.address === null ? null : shorten(report.crash_info.address),
    frames: stack.slice(0, EXCERPT_LIMITS.frames),
    functions: distinct(stack.flatMap(({ function: name }) => (name === null ? [] : [name]))).slice(
      0,
      EXCERPT_LIMITS.functions,
    ),
    missingSymbols: distinct(report.modules.filter(lacksSymbols).map(nameModule)).slice(0, EXCERPT_LIMITS.missing),
  };
}

/** How a module is named where its symbols are missing. */
export function nameModule({ debug_file, debug_id }: Pick<ModuleReport, 'debug_file' | 'debug_id'>): string {
  return `${name(debug_file)}/${name(debug_id)}`;
}

/** Without a debug id there is nothing that could be uploaded for it. */
function lacksSymbols({ symbols, debug_file, debug_id }: ModuleReport): boolean {
  return (symbols === 'missing' || symbols === 'corrupt') && debug_file !== '' && debug_id !== '';
}

function unfold(frame: Frame): ExcerptFrame[] {
  const place = {
    module: frame.module === null ? null : name(frame.module),
    offset: frame.module_offset === null ? null : shorten(frame.module_offset),
    trust: frame.trust,
  };
  return [
    ...frame.inlines.map((inline) => ({ ...nameFunction(inline), ...place, inlined: true })),
    { ...nameFunction(frame), ...place, inlined: false },
  ];
}

function nameFunction({ function: called, file, line }: Pick<Frame, 'function' | 'file' | 'line'>) {
  return {
    function: called === null ? null : name(called) || null,
    file: file === null ? null : name(file) || null,
    line,
  };
}

function name(text: string): string {
  return cutTo(toPrintable(text), EXCERPT_LIMITS.nameLength);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** Without the zeros that pad it. */
function shorten(hex: string): string {
  return hex.replace(/^0x0+(?=.)/, '0x');
}
