// Converts damaged files until the time is over, and stops at the first one that reveals a bug.
// Run: node packages/debug-symbols/fuzz/convert.ts <elf|macho|pdb|pe> [minutes]
//
// A file is a finding if its conversion throws anything other than a DebugSymbolsError, needs more than three seconds of
// CPU time, or needs more than 256 MiB. `--repeat FILE` converts one file and prints the result.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { convertFile } from '../src/convert-file.ts';
import { DebugSymbolsError } from '../src/error.ts';
import { identityRecords } from '../src/identity.ts';
import { damage } from '../test/damage.ts';
import { listCorpus, readCorpus } from '../test/native-corpus.ts';
import { sampleProgram } from '../test/sample-program.ts';

const MAX_MILLISECONDS = 3000;
const HANG_MILLISECONDS = 30_000;
const MAX_MEMORY = 256 * 1024 * 1024;
/** Larger files don't find more bugs. */
const MAX_INPUT = 300_000;
const COPIES = 50;

const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  elf: ['elf-', 'pub-elf-'],
  macho: ['macho-', 'pub-macho-'],
  pdb: ['pdb-', 'pub-pdb-'],
  pe: ['pe-', 'pub-pe-'],
};

const folder = mkdtempSync(join(tmpdir(), 'fuzz-debug-symbols-'));
const path = join(folder, 'input');

function main(): void {
  const [format = '', minutes = '1'] = process.argv.slice(2);
  if (format === '--repeat') {
    writeFileSync(path, readFileSync(minutes));
    process.stdout.write(`${findProblem() ?? 'nothing found'}\n`);
    return;
  }
  const prefixes = PREFIXES[format];
  if (prefixes === undefined) throw new Error(`Unknown format "${format}": one of ${Object.keys(PREFIXES).join(', ')}`);
  const inputs = [...(format === 'elf' ? [sampleProgram()] : []), ...prefixes.flatMap(readInputs)];
  const deadline = performance.now() + Number(minutes) * 60_000;
  const firstSeed = Date.now() % 2 ** 31;
  let rounds = 0;
  for (let seed = firstSeed; performance.now() < deadline; seed += 1) {
    const input = inputs[seed % inputs.length]!;
    for (const damaged of damage(input, COPIES, seed)) {
      writeFileSync(path, damaged);
      rounds += 1;
      const problem = findProblem();
      if (problem === undefined) continue;
      process.stdout.write(`${format}: ${problem}\nRepeat with: --repeat ${path}\n`);
      process.exitCode = 1;
      return;
    }
  }
  process.stdout.write(`${format}: nothing found in ${rounds} files, seed ${firstSeed}\n`);
}

/** The programs of a kind, with their debug files. */
function readInputs(prefix: string): Uint8Array[] {
  return listCorpus(prefix).flatMap((name) => {
    const { inputs }: { inputs: { name: string; size: number }[] } = JSON.parse(
      new TextDecoder().decode(readCorpus(`${name}/case.json`)),
    );
    return inputs.filter(({ size }) => size <= MAX_INPUT).map((input) => readCorpus(`${name}/${input.name}`)!);
  });
}

/** Only a problem in three consecutive attempts counts, because the machine can pause. */
function findProblem(): string | undefined {
  let problem: string | undefined;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    problem = measure();
    if (problem === undefined) return undefined;
  }
  return problem;
}

function measure(): string | undefined {
  const memoryBefore = process.memoryUsage.rss();
  const started = process.threadCpuUsage();
  try {
    interruptible(() => {
      const { identity, writer } = convertFile(path, { findsCounterparts: false });
      for (const record of writer.write(identityRecords(identity))) void record;
    });
  } catch (error) {
    if (!(error instanceof DebugSymbolsError))
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const { user, system } = process.threadCpuUsage(started);
  const milliseconds = (user + system) / 1000;
  const memory = process.memoryUsage.rss() - memoryBefore;
  if (milliseconds > MAX_MILLISECONDS) return `${Math.round(milliseconds)} ms`;
  return memory > MAX_MEMORY ? `${Math.round(memory / 2 ** 20)} MiB` : undefined;
}

const CALL = new Script('run()');
const CONTEXT = createContext({});

/** The timeout of the vm module can stop an endless loop, even in functions that its script calls. */
function interruptible(run: () => void): void {
  CONTEXT.run = run;
  CALL.runInContext(CONTEXT, { timeout: HANG_MILLISECONDS, displayErrors: false });
}

main();
