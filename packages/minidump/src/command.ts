// The minidump-stackwalk command: reads its arguments, and prints a report or what is wrong. Everything else is loaded
// when a dump is walked, so that `--help` is quick.

import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageFile from '../package.json' with { type: 'json' };
import { MinidumpError } from './error.ts';
import type { Walk } from './stackwalk.ts';
import { readServerUrl } from './symbols/server/server-url.ts';

const USAGE = `Usage: minidump-stackwalk <dump> [--symbols DIR]… [--symbols-url URL]… [--json | --text]

Prints why the program crashed, and the stack of each thread.

  --symbols DIR        read Breakpad symbols from this folder, as <file>/<debug id>/<name>.sym; can be repeated
  --symbols-url URL    download missing symbols from this server; can be repeated
  --symbols-cache DIR  keep downloaded symbols here (default: minidump-stackwalk/symbols in the user's cache folder)
  --cache DIR          keep compiled symbols here (default: minidump-stackwalk in the user's cache folder)
  --json               print the report as JSON
  --text               print the report as text (default)
  -h, --help           print this help
  --version            print the version

Exit status: 0 if a report was printed, 1 if the dump cannot be read, 2 if the arguments are invalid.
`;

/** The arguments are invalid. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

function readCommand(args: readonly string[]): Walk | 'help' | 'version' {
  const { values, positionals } = parseOptions(args);
  if (values.help) return 'help';
  if (values.version) return 'version';
  const [dump, ...others] = positionals;
  if (dump === undefined || others.length > 0) throw new UsageError('Specify exactly one dump.');
  if (values.json && values.text) throw new UsageError('Use either --json or --text, not both.');
  const { symbols = [], cache = defaultCache(), json = false } = values;
  const symbolsCache = values['symbols-cache'] ?? join(defaultCache(), 'symbols');
  return { dump, symbols, servers: (values['symbols-url'] ?? []).map(readServer), symbolsCache, cache, json };
}

function readServer(text: string): URL {
  const url = readServerUrl(text);
  if (url === undefined) throw new UsageError('--symbols-url must be an http or https URL without credentials.');
  return url;
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        symbols: { type: 'string', multiple: true },
        'symbols-url': { type: 'string', multiple: true },
        'symbols-cache': { type: 'string' },
        cache: { type: 'string' },
        json: { type: 'boolean' },
        text: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

/** Follows the XDG Base Directory Specification on every OS: a folder in the home directory works everywhere. */
function defaultCache(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'minidump-stackwalk');
}

/** Runs the command and sets the exit status. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    const command = readCommand(args);
    if (command === 'help') process.stdout.write(USAGE);
    else if (command === 'version') process.stdout.write(`${packageFile.version}\n`);
    else {
      const { stackwalk } = await import('./stackwalk.ts');
      process.stdout.write(await stackwalk(command, printProblem));
    }
  } catch (error) {
    fail(error);
  }
}

function printProblem(problem: string): void {
  process.stderr.write(`minidump-stackwalk: ${problem}\n`);
}

function fail(error: unknown): void {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  } else if (error instanceof MinidumpError || isFileError(error)) {
    printProblem(isFileError(error) ? describeFileError(error) : error.message);
    process.exitCode = 1;
  } else throw error;
}

/** What the system says, by its codes, in words for people. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist.',
  EACCES: 'cannot be read. Check its permissions.',
  EISDIR: 'is a folder. Specify a dump.',
};

function describeFileError({ code = '', path, message }: NodeJS.ErrnoException): string {
  const known = FILE_ERRORS[code];
  return known === undefined ? message : `${path ?? 'The dump'} ${known}`;
}

/** Whether the dump is missing, a folder or not readable. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
