// The loop of all fuzzers: makes inputs until the time is over, and stops at the first that breaks a promise of the package.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { createContext, Script } from 'node:vm';
import { MinidumpError } from '../src/error.ts';
import { Random } from './random.ts';

/** What any input may cost: a fixed part, and a part for each of its bytes. */
const MAX_MILLISECONDS = 200;
const HANG_MILLISECONDS = 10_000;
const MAX_MEMORY = 32 * 2 ** 20;
const MAX_MEMORY_PER_BYTE = 64;
const REPORT_MILLISECONDS = 60_000;

/** Minutes from the command line (`node fuzz/reader.ts 10`), 1 by default. */
export function minutesAsked(): number {
  const minutes = Number(process.argv[2]);
  return minutes > 0 ? minutes : 1;
}

/**
 * Runs `check` on inputs of `makeInput` for so many minutes. A finding is an input on which check throws anything but a MinidumpError,
 * takes longer than 200 ms of processor time, or takes more memory than 32 MiB and 64 bytes for each byte of input. What check returns is held until the
 * memory is measured. The finding is written to a file; the exit code is then 1.
 *
 * `node fuzz/<name>.ts --repeat FILE` runs check on that input alone, and tells what it finds.
 */
export function fuzz(
  name: string,
  minutes: number,
  makeInput: (random: Random) => Uint8Array,
  check: (input: Uint8Array) => unknown,
): void {
  const [, script = '', option, file] = process.argv;
  if (option === '--repeat' && file !== undefined) {
    repeat(readFileSync(file), check);
    return;
  }
  const seed = Date.now() % 2 ** 31;
  const started = performance.now();
  const deadline = started + minutes * 60_000;
  let nextReport = started + REPORT_MILLISECONDS;
  let rounds = 0;
  const report = (what: string) =>
    process.stdout.write(
      `${name}: ${what}; ${rounds} rounds in ${Math.round((performance.now() - started) / 1000)} s, seed ${seed}\n`,
    );
  for (; performance.now() < deadline; rounds += 1) {
    const input = makeInput(new Random(seed + rounds));
    const problem = findProblem(input, check);
    if (problem !== undefined) {
      const path = keep(name, input);
      report(`${problem} in round ${rounds}`);
      process.stdout.write(`Again: node ${relative(process.cwd(), script)} --repeat ${path}\n`);
      process.exitCode = 1;
      return;
    }
    if (performance.now() < nextReport) continue;
    nextReport += REPORT_MILLISECONDS;
    report('nothing found so far');
  }
  report('nothing found');
}

/** What is wrong, told in a few words; undefined when nothing is. */
function findProblem(input: Uint8Array, check: (input: Uint8Array) => unknown): string | undefined {
  // A pause of the machine or of the garbage collector is no finding: what is wrong is so three times in a row.
  let problem: string | undefined;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    problem = measure(input, check);
    if (problem === undefined) return undefined;
  }
  return problem;
}

function measure(input: Uint8Array, check: (input: Uint8Array) => unknown): string | undefined {
  const memoryBefore = memoryUsed();
  // The processor's time: on a machine that others use, the clock says little.
  const started = process.threadCpuUsage();
  const outcome = runBounded(() => check(input));
  const { user, system } = process.threadCpuUsage(started);
  const milliseconds = (user + system) / 1000;
  const memory = memoryUsed() - memoryBefore;
  if (outcome.problem !== undefined) return outcome.problem;
  if (milliseconds > MAX_MILLISECONDS) return `${Math.round(milliseconds)} ms for ${input.length} bytes`;
  if (memory > MAX_MEMORY + MAX_MEMORY_PER_BYTE * input.length)
    return `${Math.round(memory / 2 ** 20)} MiB for ${input.length} bytes`;
  return undefined;
}

/** A MinidumpError is a good answer to a bad input. */
function runBounded(run: () => unknown): { readonly result?: unknown; readonly problem?: string } {
  try {
    return { result: interruptible(run) };
  } catch (error) {
    if (error instanceof MinidumpError) return {};
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const CALL = new Script('run()');

const CONTEXT = createContext({});

/** Only the vm module can stop code that never comes back; it stops what its script calls too. */
function interruptible(run: () => unknown): unknown {
  CONTEXT.run = run;
  return CALL.runInContext(CONTEXT, { timeout: HANG_MILLISECONDS, displayErrors: false });
}

function memoryUsed(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

function repeat(input: Uint8Array, check: (input: Uint8Array) => unknown): void {
  const problem = findProblem(input, check);
  process.stdout.write(`${problem ?? 'nothing found'}\n`);
  if (problem !== undefined) process.exitCode = 1;
}

function keep(name: string, input: Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), `fuzz-${name}-`)), 'input');
  writeFileSync(path, input);
  return path;
}
