// A simple, slow reader of symbol files, with which lookups in compiled caches must agree.
import type { CfiRules, CodePlace, ModuleSymbols, StackWin } from '../src/symbols/module-symbols.ts';

type Range = { readonly start: number; readonly size: number };
type Line = Range & { readonly line: number; readonly file: number };
type Call = Range & {
  readonly depth: number;
  readonly line: number;
  readonly file: number | undefined;
  readonly origin: number;
};
type Func = Range & {
  readonly parameterSize: number;
  readonly name: string;
  readonly lines: Line[];
  readonly calls: Call[];
};
type Public = { readonly offset: number; readonly parameterSize: number; readonly name: string };
type Cfi = Range & { readonly rules: string; readonly rows: { readonly offset: number; readonly rules: string }[] };

const NO_NAME = '<name omitted>';
const nameOf = (name: string) => (/^<(unknown|.+ ELF section) in /.test(name) ? undefined : name);
const hex = (text: string | undefined) => Number.parseInt(text ?? '', 16);

/** Only reads well-formed lines. Keeps all records in memory and searches them from the start. */
export class NaiveSymbols implements ModuleSymbols {
  readonly functions: Func[] = [];
  readonly publics: Public[] = [];
  readonly files = new Map<number, string>();
  readonly origins = new Map<number, string>();
  readonly cfi: Cfi[] = [];
  readonly wins: StackWin[] = [];

  constructor(text: string) {
    let open: Func | undefined;
    for (const line of text.split(/\r*\n/)) open = this.#read(line, open);
  }

  placeAt(offset: number): CodePlace | undefined {
    const before = disjoint(this.functions).findLast(({ start }) => start <= offset);
    if (before !== undefined && holds(before, offset)) return this.#place(before, offset);
    let named: Public | undefined;
    for (const one of this.publics) if (one.offset <= offset && one.offset > (named?.offset ?? -1)) named = one;
    if (named === undefined || named.offset <= (before?.start ?? -1)) return undefined;
    const rules = disjoint(this.cfi).find((range) => holds(range, offset));
    const isNear = offset - named.offset < 16384 || (rules !== undefined && rules.start <= named.offset);
    const place = {
      function: isNear ? nameOf(named.name) : undefined,
      file: undefined,
      line: undefined,
      lineStart: undefined,
    };
    const rest = { functionStart: named.offset, parameterSize: named.parameterSize };
    return { ...place, ...rest, inlines: [], hasMoreInlines: false };
  }

  cfiAt(offset: number): CfiRules | undefined {
    const found = disjoint(this.cfi).find((range) => holds(range, offset));
    if (found === undefined) return undefined;
    const rows = found.rows.toSorted((a, b) => a.offset - b.offset).filter((row) => row.offset <= offset);
    return [found.rules, ...rows.map(({ rules }) => rules)];
  }

  stackWinAt(offset: number): StackWin | undefined {
    for (const kind of ['frame-data', 'fpo']) {
      const holding = this.wins.filter(
        (win) => win.kind === kind && holds({ start: win.start, size: win.codeSize }, offset),
      );
      const [best] = holding.toSorted((a, b) => b.start - a.start || a.codeSize - b.codeSize);
      if (best !== undefined) return best;
    }
    return undefined;
  }

  #place(found: Func, offset: number): CodePlace {
    const line = disjoint(found.lines).find((range) => holds(range, offset));
    const lineFile = line === undefined ? undefined : this.files.get(line.file);
    const result: { function: string; file: string | undefined; line: number | undefined }[] = [];
    let site: { file: string | undefined; line: number | undefined } = { file: lineFile, line: line?.line };
    for (const call of this.#callsAt(found, offset)) {
      result.push({ function: this.origins.get(call.origin) ?? NO_NAME, ...site });
      site = { file: call.file === undefined ? lineFile : this.files.get(call.file), line: call.line };
    }
    return {
      function: nameOf(found.name),
      ...site,
      functionStart: found.start,
      lineStart: line?.start,
      parameterSize: found.parameterSize,
      inlines: result,
      hasMoreInlines: false,
    };
  }

  /** Returns the inlined calls, innermost first. */
  #callsAt(found: Func, offset: number): Call[] {
    const calls: Call[] = [];
    for (let depth = 0; ; depth++) {
      const level = disjoint(found.calls.filter((call) => call.depth === depth));
      const call = level.find((range) => holds(range, offset));
      if (call === undefined) return calls;
      calls.unshift(call);
    }
  }

  #read(line: string, open: Func | undefined): Func | undefined {
    const fields = line.split(' ');
    const [kind] = fields;
    if (kind === 'FUNC') return this.#readFunction(line);
    if (kind === 'PUBLIC') return this.#readPublic(line);
    if (kind === 'FILE') putFirst(this.files, Number(fields[1]), fields.slice(2).join(' '));
    else if (kind === 'INLINE_ORIGIN')
      putFirst(this.origins, Number(fields[1]), line.replace(/^\S+ \d+ ((-1|\d+) (?=.))?/, ''));
    else if (kind === 'INLINE') open?.calls.push(...readCalls(fields));
    else if (kind === 'STACK' && fields[1] === 'CFI') this.#readCfi(line);
    else if (kind === 'STACK' && fields[1] === 'WIN') this.#readWin(line);
    else if (/^[0-9a-f]+ [0-9a-f]+ \d+ \d+$/.test(line)) {
      const [start, size] = [hex(fields[0]), hex(fields[1])];
      open?.lines.push({ start, size, line: Number(fields[2]), file: Number(fields[3]) });
    }
    return open;
  }

  #readFunction(line: string): Func | undefined {
    const [, start, size, parameterSize, name] = /^FUNC (?:m )?(\w+) (\w+) (\w+) ?(.*)$/.exec(line) ?? [];
    const found = { start: hex(start), size: hex(size), parameterSize: hex(parameterSize), name: name || NO_NAME };
    this.functions.push({ ...found, lines: [], calls: [] });
    return this.functions.at(-1);
  }

  #readPublic(line: string): undefined {
    const [, offset, parameterSize, name] = /^PUBLIC (?:m )?(\w+) (\w+) ?(.*)$/.exec(line) ?? [];
    if (hex(offset) === 0) return;
    this.publics.push({ offset: hex(offset), parameterSize: hex(parameterSize), name: name || NO_NAME });
  }

  #readCfi(line: string): void {
    const [, start, size, init] = /^STACK CFI INIT (\w+) (\w+) (.*)$/.exec(line) ?? [];
    if (start !== undefined) {
      this.cfi.push({ start: hex(start), size: hex(size), rules: init!, rows: [] });
      return;
    }
    const [, offset, rules] = /^STACK CFI (\w+) (.*)$/.exec(line) ?? [];
    const range = this.cfi.at(-1);
    if (range !== undefined && hex(offset) >= range.start) range.rows.push({ offset: hex(offset), rules: rules! });
  }

  #readWin(line: string): void {
    const fields = line.split(' ').slice(2);
    const [type, start, codeSize, prologSize, epilogSize, parameterSize, savedRegisterSize, localSize, maxStackSize] =
      fields.map(hex);
    const hasProgram = fields[9] !== '0';
    if ((type !== 0 && type !== 4) || (type === 0 && hasProgram)) return;
    const kind = type === 0 ? 'fpo' : 'frame-data';
    const sizes = {
      start,
      codeSize,
      prologSize,
      epilogSize,
      parameterSize,
      savedRegisterSize,
      localSize,
      maxStackSize,
    } as Omit<StackWin, 'kind' | 'program' | 'allocatesBasePointer'>;
    const program = hasProgram ? fields.slice(10).join(' ') : undefined;
    this.wins.push({ kind, ...sizes, program, allocatesBasePointer: !hasProgram && Number(fields[10]) > 0 });
  }
}

function readCalls(fields: readonly string[]): Call[] {
  const numbers = fields.slice(1);
  const hasFile = numbers.length % 2 === 0;
  const [depth, line] = [Number(numbers[0]), Number(numbers[1])];
  const file = hasFile && numbers[2] !== '-1' ? Number(numbers[2]) : undefined;
  const origin = Number(numbers[hasFile ? 3 : 2]);
  const ranges = numbers.slice(hasFile ? 4 : 3);
  return ranges.flatMap((start, index) =>
    index % 2 === 0 ? [{ depth, line, file, origin, start: hex(start), size: hex(ranges[index + 1]) }] : [],
  );
}

/** Caches the result, so that ten thousand functions are only sorted once. */
const DISJOINT = new WeakMap<readonly Range[], readonly Range[]>();

/** Returns the ranges sorted by start (stable), without ranges that start within another. */
function disjoint<T extends Range>(ranges: readonly T[]): readonly T[] {
  const cached = DISJOINT.get(ranges);
  if (cached !== undefined) return cached as readonly T[];
  const kept: T[] = [];
  DISJOINT.set(ranges, kept);
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (range.size > 0 && (last === undefined || range.start >= last.start + last.size)) kept.push(range);
  }
  return kept;
}

function holds({ start, size }: Range, offset: number): boolean {
  return offset >= start && offset < start + size;
}

function putFirst(map: Map<number, string>, key: number, value: string): void {
  if (!map.has(key)) map.set(key, value === '' ? NO_NAME : value);
}
