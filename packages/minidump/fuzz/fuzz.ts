// The loop of all fuzzers: creates inputs until the time is over, and stops at the first one that reveals a bug.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { createContext, Script } from 'node:vm';
import { MinidumpError } from '../src/error.ts';
import { Random } from './mutations.ts';

/** Limits for any input. The memory limit has a fixed part, and a part for each byte of the input. */
const MAX_MILLISECONDS = 200;
const HANG_MILLISECONDS = 10_000;
const MAX_MEMORY = 32 * 2 ** 20;
const MAX_MEMORY_PER_BYTE = 64;
const REPORT_MILLISECONDS = 60_000;

/** Returns the minutes from the command line (`node fuzz/reader.ts 10`); 1 by default. */
export function readMinutes(): number {
  const minutes = Number(process.argv[2]);
  return minutes > 0 ? minutes : 1;
}

/**
 * Runs `check` on inputs from `createInput` for the given time. An input is a finding if check throws anything other than
 * a MinidumpError, needs more than 200 ms of CPU time, or needs more memory than 32 MiB plus 64 bytes for each byte of the
 * input, including the value that it returns. The finding is written to a file, and the exit code is 1.
 *
 * `node fuzz/<name>.ts --repeat FILE` runs check on one input and prints the result.
 */
export function fuzz(
  name: string,
  minutes: number,
  createInput: (random: Random) => Uint8Array,
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
  const report = (result: string) =>
    process.stdout.write(
      `${name}: ${result}; ${rounds} rounds in ${Math.round((performance.now() - started) / 1000)} s, seed ${seed}\n`,
    );
  for (; performance.now() < deadline; rounds += 1) {
    const input = createInput(new Random(seed + rounds));
    const problem = findProblem(input, check);
    if (problem !== undefined) {
      const path = keep(name, input);
      report(`${problem} in round ${rounds}`);
      process.stdout.write(`Repeat with: node ${relative(process.cwd(), script)} --repeat ${path}\n`);
      process.exitCode = 1;
      return;
    }
    if (performance.now() < nextReport) continue;
    nextReport += REPORT_MILLISECONDS;
    report('nothing found so far');
  }
  report('nothing found');
}

/** Returns a short description of the problem; undefined if there is none. */
function findProblem(input: Uint8Array, check: (input: Uint8Array) => unknown): string | undefined {
  // Only a problem in three consecutive attempts counts, because the garbage collector or the machine can pause.
  let problem: string | undefined;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    problem = measure(input, check);
    if (problem === undefined) return undefined;
  }
  return problem;
}

function measure(input: Uint8Array, check: (input: Uint8Array) => unknown): string | undefined {
  const memoryBefore = memoryUsed();
  // Measure CPU time, because other processes can use the machine.
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

/** A MinidumpError is the correct result for an invalid input. */
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

/** The timeout of the vm module can stop an endless loop, even in functions that its script calls. */
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
