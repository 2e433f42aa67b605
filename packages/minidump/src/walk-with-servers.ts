// Walks a dump with symbols from servers: downloads the symbols that a walk was missing, then walks again.
import { processMinidump } from './process.ts';
import type { Report } from './report.ts';
import type { SymbolDirectory } from './symbols/directory.ts';
import type { ModuleId, ModuleSymbols, SymbolSource } from './symbols/module-symbols.ts';
import type { SymbolServer } from './symbols/server/symbol-server.ts';

/** Each walk can reach modules that the previous one did not: a stack through five modules can need five walks. */
const MAX_WALKS = 20;
const PARALLEL_DOWNLOADS = 8;

/**
 * Walks a dump. `directory` must include the folders of the servers. The servers are tried in order, once for each
 * module.
 */
export async function walkWithServers(
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
