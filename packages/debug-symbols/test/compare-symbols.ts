// Measures how far a symbol file agrees with that of a reference converter, as shares of the reference.

export type Agreement = {
  readonly module: boolean;
  /** Shares from 0 to 1: of functions with the same address, size and name, and of bytes with the same facts. */
  readonly functions: number;
  readonly lines: number;
  readonly inlines: number;
  readonly frames: number;
};

type Range = { readonly start: number; readonly end: number; readonly fact: string };

type Symbols = {
  module: string;
  readonly files: Map<string, string>;
  readonly origins: Map<string, string>;
  readonly functions: Map<number, Set<string>>;
  readonly lines: Range[];
  readonly inlines: { start: number; end: number; depth: number; origin: string; file: string; line: string }[];
  readonly frames: Range[];
};

export function compareSymbols(reference: string, ours: string): Agreement {
  const [one, other] = [readSymbols(reference), readSymbols(ours)];
  return {
    module: one.module === other.module,
    functions: compareFunctions(one.functions, other.functions),
    lines: compareRanges(separate(one.lines), separate(other.lines)),
    inlines: compareRanges(chainsOf(one), chainsOf(other)),
    frames: compareRanges(separate(one.frames), separate(other.frames)),
  };
}

function readSymbols(text: string): Symbols {
  const symbols: Symbols = {
    ...{ module: '', files: new Map(), origins: new Map(), functions: new Map() },
    ...{ lines: [], inlines: [], frames: [] },
  };
  let frame: { start: number; end: number; rows: [address: number, rules: string][] } | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('STACK CFI INIT ')) {
      addFrame(frame, symbols.frames);
      const [, , , address = '', size = '', ...rules] = line.split(' ');
      const start = hex(address);
      frame = { start, end: start + hex(size), rows: [[start, rules.join(' ')]] };
    } else if (line.startsWith('STACK CFI ')) {
      const [, , address = '', ...rules] = line.split(' ');
      frame?.rows.push([hex(address), rules.join(' ')]);
    } else if (line !== '') {
      readRecord(line, symbols);
    }
  }
  addFrame(frame, symbols.frames);
  return symbols;
}

function readRecord(line: string, symbols: Symbols): void {
  const fields = line.split(' ');
  switch (fields[0]) {
    case 'MODULE':
      symbols.module = line.trim();
      return;
    case 'FILE':
      symbols.files.set(fields[1]!, fields.slice(2).join(' '));
      return;
    case 'INLINE_ORIGIN':
      symbols.origins.set(fields[1]!, squeeze(fields.slice(2).join(' ')));
      return;
    case 'FUNC': {
      if (fields[1] === 'm') fields.splice(1, 1);
      const address = hex(fields[1]!);
      const known = symbols.functions.get(address) ?? new Set();
      symbols.functions.set(address, known.add(`${fields[2]} ${squeeze(fields.slice(4).join(' '))}`));
      return;
    }
    case 'INLINE': {
      const [, depth = '', callLine = '', file = '', origin = '', ...ranges] = fields;
      for (let index = 0; index + 1 < ranges.length; index += 2) {
        const start = hex(ranges[index]!);
        const end = start + hex(ranges[index + 1]!);
        symbols.inlines.push({ start, end, depth: Number(depth), origin, file, line: callLine });
      }
      return;
    }
    case 'INFO':
    case 'PUBLIC':
    case 'STACK':
      return;
    default: {
      const start = hex(fields[0]!);
      symbols.lines.push({
        start,
        end: start + hex(fields[1]!),
        fact: `${symbols.files.get(fields[3]!)}:${fields[2]}`,
      });
    }
  }
}

/** Each row has the rules before it as well, unless it replaces them. */
function addFrame(frame: { end: number; rows: [number, string][] } | undefined, frames: Range[]): void {
  const rules = new Map<string, string>();
  for (const [index, [start, text]] of (frame?.rows ?? []).entries()) {
    for (const [, register = '', rule = ''] of text.matchAll(/(\S+): (.*?)(?= \S+: |$)/g)) rules.set(register, rule);
    const end = Math.min(frame!.rows[index + 1]?.[0] ?? frame!.end, frame!.end);
    const fact = [...rules].map(([register, rule]) => `${register}: ${rule}`).sort();
    if (end > start) frames.push({ start, end, fact: fact.join(' ') });
  }
}

function compareFunctions(one: Symbols['functions'], other: Symbols['functions']): number {
  if (one.size === 0) return 1;
  let same = 0;
  for (const [address, facts] of one) {
    const others = other.get(address);
    if (others !== undefined && [...facts].some((fact) => others.has(fact))) same += 1;
  }
  return same / one.size;
}

/** Ranges without overlaps: where two overlap, the earlier one keeps its bytes. */
function separate(ranges: readonly Range[]): Range[] {
  const separated: Range[] = [];
  let at = -1;
  for (const { start, end, fact } of ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const from = Math.max(start, at);
    if (end <= from) continue;
    separated.push({ start: from, end, fact });
    at = end;
  }
  return separated;
}

/** The chain of inlined calls of each byte that has one. */
function chainsOf({ inlines, origins, files }: Symbols): Range[] {
  const events = inlines
    .filter(({ start, end }) => end > start)
    .flatMap((call) => [
      { at: call.start, isStart: true, call },
      { at: call.end, isStart: false, call },
    ])
    .sort((a, b) => a.at - b.at || Number(a.isStart) - Number(b.isStart));
  const ranges: Range[] = [];
  const open = new Set<Symbols['inlines'][number]>();
  let last = 0;
  for (const { at, isStart, call } of events) {
    if (open.size > 0 && at > last) {
      const chain = [...open].toSorted((a, b) => a.depth - b.depth);
      const fact = chain.map(({ origin, file, line }) => `${origins.get(origin)} ${files.get(file)}:${line}`);
      ranges.push({ start: last, end: at, fact: fact.join(' < ') });
    }
    if (isStart) open.add(call);
    else open.delete(call);
    last = at;
  }
  return ranges;
}

function compareRanges(one: readonly Range[], other: readonly Range[]): number {
  let [total, same, next] = [0, 0, 0];
  for (const { start, end, fact } of one) {
    total += end - start;
    while (next < other.length && other[next]!.end <= start) next += 1;
    for (let index = next; index < other.length && other[index]!.start < end; index += 1) {
      const match = other[index]!;
      if (match.fact === fact) same += Math.min(end, match.end) - Math.max(start, match.start);
    }
  }
  return total === 0 ? 1 : same / total;
}

function hex(digits: string): number {
  return Number.parseInt(digits, 16);
}

function squeeze(name: string): string {
  return name.replace(/\s+/g, ' ').trim();
}
