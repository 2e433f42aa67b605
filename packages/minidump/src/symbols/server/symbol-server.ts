// Downloads symbols from a server into a folder, which also remembers for a while which symbols the server does not have.
import { hash } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { identifyModule } from '../module-identity.ts';
import type { ModuleId } from '../module-symbols.ts';
import { type SymbolPath, symbolPathsOf } from '../symbol-path.ts';
import { type DownloadLimits, downloadSymbols } from './download.ts';

type SymbolServerOptions = {
  /** Each server has its own folder in it, so that servers cannot provide symbols for each other. */
  readonly cacheFolder: string;
  readonly limits?: Partial<SymbolServerLimits>;
  /** Called with a readable line if symbols could not be downloaded. It omits the URL, which can contain a secret. */
  readonly onProblem?: (problem: string) => void;
};

export type SymbolServerLimits = DownloadLimits & {
  /** How long symbols that the server did not have are not requested again. Symbols are often uploaded later. */
  readonly absentMilliseconds: number;
  /** After this many consecutive failures, no more requests are sent to the server. */
  readonly failures: number;
  /** Maximum number of requests in one run. A malicious dump can name thousands of modules. */
  readonly requests: number;
};

const LIMITS: SymbolServerLimits = {
  bytes: 2 ** 30,
  idleMilliseconds: 30_000,
  totalMilliseconds: 600_000,
  absentMilliseconds: 3_600_000,
  failures: 3,
  requests: 1000,
};

const ABSENT_SUFFIX = '.absent';

export class SymbolServer {
  /** The downloaded files, in the layout of SymbolDirectory. */
  readonly folder: string;
  readonly #url: URL;
  readonly #limits: SymbolServerLimits;
  readonly #onProblem: (problem: string) => void;
  #failures = 0;
  #requests = 0;

  constructor(url: URL, { cacheFolder, limits, onProblem = () => undefined }: SymbolServerOptions) {
    this.#url = url;
    // The URL can contain a secret, which must not be in the name of a folder.
    this.folder = join(cacheFolder, hash('sha256', url.href).slice(0, 16));
    this.#limits = { ...LIMITS, ...limits };
    this.#onProblem = onProblem;
  }

  /** Downloads the module's symbols unless the folder has them. Returns whether it has them now. Never rejects. */
  async fetch(module: ModuleId): Promise<boolean> {
    const path = serverPathOf(module);
    if (path === undefined) return false;
    const file = join(this.folder, ...path);
    if (ageOf(file) !== undefined) return true;
    if (this.#isKnownAbsent(file) || !this.#mayRequest()) return false;
    this.#requests += 1;
    try {
      const outcome = await downloadSymbols(symbolUrlOf(this.#url, path, module), file, path[1], this.#limits);
      this.#failures = 0;
      markAbsent(file, outcome === 'absent');
      return outcome === 'saved';
    } catch (error) {
      this.#failures += 1;
      this.#onProblem(`could not download ${path[0]} from ${this.#url.host}: ${reasonOf(error)}`);
      if (this.#failures === this.#limits.failures)
        this.#onProblem(`sending no more requests to ${this.#url.host} after ${this.#failures} failures`);
      return false;
    }
  }

  #mayRequest(): boolean {
    return this.#failures < this.#limits.failures && this.#requests < this.#limits.requests;
  }

  #isKnownAbsent(file: string): boolean {
    const age = ageOf(file + ABSENT_SUFFIX);
    // Uses the absolute value, because the clock may have been set back.
    return age !== undefined && Math.abs(age) < this.#limits.absentMilliseconds;
  }
}

/** Returns the milliseconds since the file was written; undefined if it does not exist. */
function ageOf(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? Date.now() - stats.mtimeMs : undefined;
}

function markAbsent(file: string, isAbsent: boolean): void {
  if (!isAbsent) {
    rmSync(file + ABSENT_SUFFIX, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file + ABSENT_SUFFIX, '', { mode: 0o600 });
}

/** The cause of an error from `fetch` has the actual reason. Removes URLs, which an error message can contain. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return reason.replace(/https?:\/\/\S+/g, '<url>');
}

/** File systems allow names of 255 bytes, and suffixes are added to the names of downloads. */
const MAX_NAME_BYTES = 200;

/**
 * Returns the path of a module's symbols on a server and in the folder of downloads: `<debug file>/<debug id>/<name>.sym`,
 * with the GUID of the id in upper case and its age in lower case. A module without a debug id is found by its code id.
 * Undefined if it has neither, or if its name is unsafe.
 */
export function serverPathOf(module: ModuleId): SymbolPath | undefined {
  const { name, debugId, codeId } = identifyModule(module);
  const path = symbolPathsOf({ ...module, debugFile: name, debugId: debugId || codeId })[0];
  return path === undefined || Buffer.byteLength(path[2]) > MAX_NAME_BYTES ? undefined : path;
}

/**
 * Returns `<server>/game.pdb/5A98…F1/game.sym?code_file=game.exe&code_id=5B2A…`. With the query, servers that do not have
 * the symbols yet can find the program and create them.
 */
export function symbolUrlOf(server: URL, path: SymbolPath, { codeFile, codeId }: ModuleId): URL {
  const url = new URL(server);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');
  // For privacy, the server does not get the folder in which the player installed the game.
  const name = codeFile.split(/[/\\]/).at(-1)!;
  if (name !== '' && name.isWellFormed()) url.searchParams.set('code_file', name);
  if (codeId !== '') url.searchParams.set('code_id', codeId);
  return url;
}
