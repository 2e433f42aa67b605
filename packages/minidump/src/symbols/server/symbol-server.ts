// Symbols of a server, by way of a folder that keeps what was downloaded and remembers for a while what the server does not have.
import { hash } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModuleId } from '../module-symbols.ts';
import { type DownloadLimits, downloadSymbols } from './download.ts';
import { serverPathOf, symbolUrlOf } from './symbol-url.ts';

export type SymbolServerOptions = {
  /** Below it each server has a folder of its own, so that none can speak for another. */
  readonly cacheFolder: string;
  readonly limits?: Partial<SymbolServerLimits>;
  /** Told why symbols could not be fetched, in a line for people. The address is left out, since it may hold a secret. */
  readonly onProblem?: (problem: string) => void;
};

export type SymbolServerLimits = DownloadLimits & {
  /** For so long a server is not asked again for what it did not have. Symbols are often uploaded later. */
  readonly absentMilliseconds: number;
  /** Requests to one server that may fail one after the other; then it is not asked any more. */
  readonly failures: number;
  /** Requests of one run. A hostile dump may name thousands of modules. */
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

const ABSENT = '.absent';

export class SymbolServer {
  /** Holds what was downloaded, laid out as a folder of symbols. */
  readonly folder: string;
  readonly #url: URL;
  readonly #limits: SymbolServerLimits;
  readonly #onProblem: (problem: string) => void;
  #failures = 0;
  #requests = 0;

  constructor(url: URL, { cacheFolder, limits, onProblem = () => undefined }: SymbolServerOptions) {
    this.#url = url;
    // The address may hold a secret, which no name of a folder should.
    this.folder = join(cacheFolder, hash('sha256', url.href).slice(0, 16));
    this.#limits = { ...LIMITS, ...limits };
    this.#onProblem = onProblem;
  }

  /** Whether the module's symbols are in the folder now. Asks the server unless they are there already; never rejects. */
  async fetch(module: ModuleId): Promise<boolean> {
    const path = serverPathOf(module);
    if (path === undefined) return false;
    const file = join(this.folder, ...path);
    if (ageOf(file) !== undefined) return true;
    if (this.#isKnownAbsent(file) || !this.#mayAsk()) return false;
    this.#requests += 1;
    try {
      const outcome = await downloadSymbols(symbolUrlOf(this.#url, path, module), file, path[1], this.#limits);
      this.#failures = 0;
      markAbsent(file, outcome === 'absent');
      return outcome === 'saved';
    } catch (error) {
      this.#failures += 1;
      this.#onProblem(`${path[0]} could not be fetched from ${this.#url.host}: ${reasonOf(error)}`);
      if (this.#failures === this.#limits.failures)
        this.#onProblem(`${this.#url.host} is not asked any more, after ${this.#failures} failures`);
      return false;
    }
  }

  #mayAsk(): boolean {
    return this.#failures < this.#limits.failures && this.#requests < this.#limits.requests;
  }

  #isKnownAbsent(file: string): boolean {
    const age = ageOf(file + ABSENT);
    // A clock that was set back must not make it absent forever.
    return age !== undefined && Math.abs(age) < this.#limits.absentMilliseconds;
  }
}

/** Milliseconds since the file was written; undefined when there is none. */
function ageOf(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? Date.now() - stats.mtimeMs : undefined;
}

function markAbsent(file: string, isAbsent: boolean): void {
  if (!isAbsent) {
    rmSync(file + ABSENT, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file + ABSENT, '');
}

/** `fetch` says what was wrong in the cause of its error. No address: an error's text may repeat it. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
  return reason.replace(/https?:\/\/\S+/g, '<address>');
}
