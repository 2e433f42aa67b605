// The minidump-stackwalk command: reads a dump, with symbols from folders and servers, and prints a report. If a walk was
// missing symbols, it downloads them and walks again.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import packageFile from '../package.json' with { type: 'json' };
import { MinidumpError } from './error.ts';
import { processMinidump } from './process.ts';
import type { Report } from './report.ts';
import { SymbolDirectory } from './symbols/directory.ts';
import type { ModuleId, ModuleSymbols, SymbolSource } from './symbols/module-symbols.ts';
import { readServerUrl, SymbolServer } from './symbols/server/symbol-server.ts';
import { formatReport } from './text.ts';

const USAGE = `Usage: minidump-stackwalk <dump> [--symbols DIR]… [--symbols-url URL]… [--json | --text]

Prints why the program crashed, and the stack of each thread.

  --symbols DIR        read Breakpad symbols from this folder, as <file>/<debug id>/<name>.sym; can be repeated
  --symbols-url URL    download missing symbols from this server; can be repeated
  --symbols-cache DIR  keep downloaded symbols here (default: minidump-stackwalk/symbols in the user's cache folder)
  --cache DIR          keep compiled symbols here (default: minidump-stackwalk in the user's cache folder)
  --json               print the report as JSON
  --text               print the report as text (default)
  -h, --help           show this help
  --version            show the version

Exit status: 0 if a report was printed, 1 if the dump cannot be read, 2 if the arguments are invalid.
`;

/** The arguments are invalid. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

type Command = {
  dump: string;
  symbols: string[];
  servers: URL[];
  symbolsCache: string;
  cache: string;
  json: boolean;
};

function readCommand(args: readonly string[]): Command | 'help' | 'version' {
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

async function stackwalk({ dump, symbols, servers: urls, symbolsCache, cache, json }: Command): Promise<string> {
  const onProblem = (problem: string) => process.stderr.write(`minidump-stackwalk: ${problem}\n`);
  const servers = urls.map((url) => new SymbolServer(url, { cacheFolder: symbolsCache, onProblem }));
  const folders = [...symbols, ...servers.map(({ folder }) => folder)];
  const source = new SymbolDirectory(folders, { cacheFolder: cache });
  try {
    const report = await walkWithServers(readFileSync(dump), source, servers);
    return json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report);
  } finally {
    source.close();
  }
}

/** Runs the command and sets the exit status. */
export async function run(args: readonly string[]): Promise<void> {
  try {
    const command = readCommand(args);
    if (command === 'help') process.stdout.write(USAGE);
    else if (command === 'version') process.stdout.write(`${packageFile.version}\n`);
    else process.stdout.write(await stackwalk(command));
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  } else if (error instanceof MinidumpError || isFileError(error)) {
    process.stderr.write(`minidump-stackwalk: ${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}

/** Whether the dump is missing, a folder or not readable. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}

/** Each walk can reach modules that the previous one did not: a stack through five modules can need five walks. */
const MAX_WALKS = 20;
const PARALLEL_DOWNLOADS = 8;

/**
 * Walks a dump. `directory` must include the folders of the servers. The servers are tried in order, once for each
 * module.
 */
async function walkWithServers(
  dump: Uint8Array,
  directory: SymbolDirectory,
  servers: readonly SymbolServer[],
): Promise<Report> {
  const source = new RecordingSource(directory);
  for (let walks = 1; ; walks += 1) {
    const report = processMinidump(dump, { symbols: source });
    const missing = source.takeMissing();
    if (servers.length === 0 || walks === MAX_WALKS || !(await fetchAll(missing, servers))) return report;
    // The directory remembers which symbols were missing; closing it clears that.
    directory.close();
  }
}

/** Returns whether any symbols were downloaded. */
async function fetchAll(modules: readonly ModuleId[], servers: readonly SymbolServer[]): Promise<boolean> {
  const queue = modules.values();
  let hasFetched = false;
  const work = async () => {
    for (const module of queue) {
      for (const server of servers) {
        if (!(await server.fetch(module))) continue;
        hasFetched = true;
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_DOWNLOADS }, work));
  return hasFetched;
}

/** Records the modules whose symbols a walk did not find. */
class RecordingSource implements SymbolSource {
  readonly #source: SymbolSource;
  readonly #requested = new Set<string>();
  #missing: ModuleId[] = [];

  constructor(source: SymbolSource) {
    this.#source = source;
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const symbols = this.#source.find(module);
    const key = `${module.debugId}/${module.codeId}/${module.debugFile}`;
    if (symbols === undefined && !this.#requested.has(key)) this.#missing.push(module);
    this.#requested.add(key);
    return symbols;
  }

  /** Returns the missing modules that were not returned before. */
  takeMissing(): readonly ModuleId[] {
    const missing = this.#missing;
    this.#missing = [];
    return missing;
  }
}
