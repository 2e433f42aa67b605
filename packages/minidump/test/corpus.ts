// The corpus of real dumps next to the repository, with the output of two reference stackwalkers for each.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '../../../../shared/corpus');

/** The `skip` of a test: false, or the reason for skipping the tests of the corpus. */
export const CORPUS_MISSING = existsSync(FOLDER) ? false : 'skipped: corpus not found';

/** A frame, with the fields that both references have. Inlined functions are separate frames. */
export type ReferenceFrame = {
  readonly module: string;
  readonly function: string;
  readonly file: string;
  readonly line: string;
  /** Whether it was found by a stack scan. */
  readonly guessed: boolean;
};

export type Reference = {
  readonly reason: string;
  /** Index of the crashed thread; undefined if the reference names none. */
  readonly crashedThread: number | undefined;
  /** Frames by thread index. */
  readonly threads: ReadonlyMap<number, readonly ReferenceFrame[]>;
};

export type Case = {
  readonly name: string;
  readonly os: string;
  readonly cpu: string;
  readonly dump: Uint8Array;
  /** The folder of the symbols; undefined if there is none. */
  readonly symbols: string | undefined;
  readonly breakpad: Reference;
  readonly rust: Reference;
  /** The functions that were running according to the source code, innermost first; empty if unknown. */
  readonly truth: readonly string[];
};

type Meta = { os: string; cpu: string; expected_functions_in_order?: string[] };

/** Reads all cases, one at a time. */
export function* readCases(): Generator<Case> {
  for (const name of readdirSync(join(FOLDER, 'open')).sort()) yield readCase(name);
}

export function readCase(name: string): Case {
  const file = (part: string) => join(FOLDER, 'open', name, part);
  const meta = JSON.parse(readFileSync(file('meta.json'), 'utf8')) as Meta;
  return {
    name,
    os: meta.os,
    cpu: meta.cpu,
    dump: readFileSync(file('case.dmp')),
    symbols: existsSync(file('symbols')) ? file('symbols') : undefined,
    breakpad: readBreakpad(readFileSync(file('stackwalk.m.txt'), 'utf8'), readFileSync(file('stackwalk.txt'), 'utf8')),
    rust: readRust(JSON.parse(gunzipSync(readFileSync(file('rustminidump.json.gz'))).toString()) as RustReport),
    truth: meta.expected_functions_in_order ?? [],
  };
}

/** Reads the damaged files. */
export function* readHostile(): Generator<{ name: string; dump: Uint8Array }> {
  for (const name of readdirSync(join(FOLDER, 'hostile')).sort()) {
    yield { name, dump: readFileSync(join(FOLDER, 'hostile', name, 'case.dmp')) };
  }
}

/**
 * The machine-readable output has the frames, as `thread|frame|module|function|file|line|offset`. The other output has
 * how each was found.
 */
function readBreakpad(machine: string, readable: string): Reference {
  const lines = machine.split('\n').map((line) => line.split('|'));
  const crash = lines.find(([kind]) => kind === 'Crash');
  const threads = new Map<number, ReferenceFrame[]>();
  const trusts = readTrusts(readable);
  for (const [thread, frame, module = '', name = '', file = '', line = ''] of lines) {
    if (!/^\d+$/.test(thread ?? '') || !/^\d+$/.test(frame ?? '')) continue;
    const guessed = trusts.get(`${thread} ${frame}`) === 'stack scanning';
    const frames = threads.get(Number(thread)) ?? [];
    frames.push({ module, function: name, file, line, guessed });
    threads.set(Number(thread), frames);
  }
  const crashed = crash?.[3] ?? '';
  return { reason: crash?.[1] ?? '', crashedThread: crashed === '' ? undefined : Number(crashed), threads };
}

function readTrusts(readable: string): Map<string, string> {
  const trusts = new Map<string, string>();
  let thread = '';
  let frame = '';
  for (const line of readable.split('\n')) {
    thread = /^Thread (\d+)/.exec(line)?.[1] ?? thread;
    frame = /^ ?(\d+) {2}/.exec(line)?.[1] ?? frame;
    const trust = /^ +Found by: (.*)$/.exec(line)?.[1];
    if (trust !== undefined) trusts.set(`${thread} ${frame}`, trust);
  }
  return trusts;
}

type RustFrame = {
  trust: string;
  module: string | null;
  function: string | null;
  file: string | null;
  line: number | null;
  inlines: { function: string; file: string | null; line: number | null }[] | null;
};

type RustReport = {
  crash_info: { type: string | null; crashing_thread: number | null };
  threads: { frames: RustFrame[] }[];
};

function readRust({ crash_info: crash, threads }: RustReport): Reference {
  return {
    reason: crash.type ?? 'No crash',
    crashedThread: crash.crashing_thread ?? undefined,
    threads: new Map(threads.map(({ frames }, index) => [index, frames.flatMap(expandRustFrame)])),
  };
}

function expandRustFrame(frame: RustFrame): ReferenceFrame[] {
  const { module, trust } = frame;
  return [...(frame.inlines ?? []), frame].map(({ function: name, file, line }) => ({
    module: module ?? '',
    function: name ?? '',
    file: file ?? '',
    line: line === null ? '' : String(line),
    guessed: trust === 'scan',
  }));
}
