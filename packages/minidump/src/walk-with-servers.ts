// Walks a dump with symbols from servers. If a walk was missing symbols, downloads them and walks again.
import { processMinidump } from './process.ts';
import type { Report } from './report.ts';
import { SymbolDirectory } from './symbols/directory.ts';
import type { ModuleId, ModuleSymbols, SymbolSource } from './symbols/module-symbols.ts';
import { SymbolServer } from './symbols/server/symbol-server.ts';

type ServerOptions = {
  /** Folders of symbols, which are searched first. */
  readonly folders: readonly string[];
  /** Tried in order, once for each module. */
  readonly servers: readonly URL[];
  /** Where downloaded symbols are kept. */
  readonly downloads: string;
  /** Where compiled symbols are kept. */
  readonly cacheFolder: string;
  /** Called with a line for each problem with a server. */
  readonly onProblem: (problem: string) => void;
};

/** Each walk can reach modules that the previous one did not: a stack through five modules can need five walks. */
const MAX_WALKS = 20;
const PARALLEL_DOWNLOADS = 8;

export async function walkWithServers(dump: Uint8Array, options: ServerOptions): Promise<Report> {
  const { folders, downloads, cacheFolder, onProblem } = options;
  const servers = options.servers.map((url) => new SymbolServer(url, { cacheFolder: downloads, onProblem }));
  const directory = new SymbolDirectory([...folders, ...servers.map(({ folder }) => folder)], { cacheFolder });
  const source = new RecordingSource(directory);
  try {
    for (let walks = 1; ; walks += 1) {
      const report = processMinidump(dump, { symbols: source });
      if (walks === MAX_WALKS || !(await fetchAll(source.takeMissing(), servers))) return report;
      // The directory remembers which symbols were missing; closing it clears that.
      directory.close();
    }
  } finally {
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
