// The command `chauffeur-dump-syms`. The converter is loaded when a file is converted, so that `--help` is quick.
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DebugSymbolsError } from './error.ts';
import { identityRecords } from './identity.ts';
import { ProgressLine } from './progress-line.ts';

const USAGE = `Usage: chauffeur-dump-syms <binary or debug file> [<its counterpart>] [-o <file>] [-a <cpu>] [-t <number>]

Converts native debug information to a Breakpad symbol file: ELF, Mach-O and PE files, with DWARF or a PDB, and
WebAssembly with DWARF.

  <its counterpart>  the PDB, debug file or dSYM of a program, or the program of one of these; by default, it is looked
                     for next to the first file
  -o, --output       write to this file instead of standard output
  -a, --arch         convert this CPU of a universal binary, such as arm64
  -t, --threads      convert a large file in so many threads; by default, one for each core, but at most 4
  -h, --help         print this help
`;

type CommandResult = { readonly exitCode: 0 | 1; readonly stderr: string };

/** Runs the command in this process, and sets its exit code. */
export async function run(args: readonly string[]): Promise<void> {
  // A reader such as `head` has enough.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
  const progress = process.stderr.isTTY ? new ProgressLine(process.stderr) : undefined;
  const write = async (text: string) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  };
  const { exitCode, stderr } = await runCommand(args, write, progress);
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}

/** Runs the command without a process around it. `write` gets the symbols in portions, unless they go to a file. */
export async function runCommand(
  args: readonly string[],
  write: (text: string) => Promise<void>,
  progress?: ProgressLine,
): Promise<CommandResult> {
  try {
    const { values, positionals } = readArguments(args);
    if (values.help === true) {
      await write(USAGE);
      return { exitCode: 0, stderr: '' };
    }
    const [path, counterpart] = positionals;
    if (path === undefined || positionals.length > 2) return { exitCode: 1, stderr: USAGE };
    const threads = values.threads === undefined ? undefined : Number(values.threads);
    if (threads !== undefined && !(Number.isInteger(threads) && threads > 0))
      return { exitCode: 1, stderr: `chauffeur-dump-syms: --threads must be a number from 1 on\n` };
    const { convertFileInThreads } = await import('./convert-file.ts');
    const { identity, writer } = await convertFileInThreads(path, {
      ...(threads !== undefined && { threads }),
      ...(counterpart !== undefined && { counterpart }),
      ...(values.arch !== undefined && { cpu: values.arch }),
      onProgress: (done, total) => progress?.show('reading', done, total),
    });
    const portions = joined(writer.write(identityRecords(identity)));
    if (values.output === undefined) {
      progress?.clear();
      for (const portion of portions) await write(portion);
    } else {
      const onWritten = (done: number) => progress?.show('writing', done, writer.size);
      writeFile(values.output, portions, onWritten);
    }
    writer.close();
    return { exitCode: 0, stderr: '' };
  } catch (error) {
    return { exitCode: 1, stderr: `${describe(error)}\n` };
  } finally {
    progress?.clear();
  }
}

function readArguments(args: readonly string[]) {
  const options = {
    output: { type: 'string', short: 'o' },
    arch: { type: 'string', short: 'a' },
    threads: { type: 'string', short: 't' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

function writeFile(path: string, portions: Iterable<string>, onWritten: (bytes: number) => void): void {
  const descriptor = openSync(path, 'w');
  try {
    let total = 0;
    for (const portion of portions) {
      const bytes = Buffer.from(portion);
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
      total += bytes.length;
      onWritten(total);
    }
  } finally {
    closeSync(descriptor);
  }
}

const PORTION = 256 * 1024;

/** Joins records to portions that are worth a call of the system. */
function* joined(records: Iterable<string>): Generator<string> {
  let portion = '';
  for (const record of records) {
    portion += record;
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
  }
  if (portion !== '') yield portion;
}

/** What the system says, by its codes, in words for people. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be read or written; check its permissions',
  EISDIR: 'is a folder',
  ENOSPC: 'could not be written, because the disk is full',
};

function describe(error: unknown): string {
  if (error instanceof DebugSymbolsError) return `chauffeur-dump-syms: ${error.message} (${error.code})`;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  const known = SYSTEM_ERRORS[code];
  if (known !== undefined) return `chauffeur-dump-syms: ${path ?? 'the output'} ${known}`;
  return `chauffeur-dump-syms: ${message}`;
}
