// Walks a dump with symbols of servers: a walk shows which modules it needs, their symbols are fetched, and it is walked again.
import { processMinidump } from './process.ts';
import type { Report } from './report.ts';
import type { SymbolDirectory } from './symbols/directory.ts';
import type { ModuleId, ModuleSymbols, SymbolSource } from './symbols/module-symbols.ts';
import type { SymbolServer } from './symbols/server/symbol-server.ts';

/** Each walk reaches modules that the one before did not. A stack of five modules without unwind rules takes five. */
const MAX_WALKS = 20;
const PARALLEL = 8;

/** `directory` has the folders of the servers among its own. Servers are asked in their order, each module once. */
export async function walkWithServers(
  dump: Uint8Array,
  directory: SymbolDirectory,
  servers: readonly SymbolServer[],
): Promise<Report> {
  const source = new AskedSource(directory);
  for (let walks = 1; ; walks += 1) {
    const report = processMinidump(dump, { symbols: source });
    const missing = source.takeMissing();
    if (servers.length === 0 || walks === MAX_WALKS || !(await fetchAll(missing, servers))) return report;
    // It remembers what it did not find.
    directory.close();
  }
}

/** Whether any symbols came. */
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
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return hasFetched;
}

/** Remembers which modules a walk asked for in vain. */
class AskedSource implements SymbolSource {
  readonly #source: SymbolSource;
  readonly #asked = new Set<string>();
  #missing: ModuleId[] = [];

  constructor(source: SymbolSource) {
    this.#source = source;
  }

  find(module: ModuleId): ModuleSymbols | undefined {
    const found = this.#source.find(module);
    const key = `${module.debugId}/${module.debugFile}`;
    if (found === undefined && !this.#asked.has(key)) this.#missing.push(module);
    this.#asked.add(key);
    return found;
  }

  /** Those that were not asked for before. */
  takeMissing(): readonly ModuleId[] {
    const missing = this.#missing;
    this.#missing = [];
    return missing;
  }
}
