// What the minidump-stackwalk command does with a dump: walks it with symbols from folders and servers, and returns the
// report as text.
import { readFileSync } from 'node:fs';
import { processMinidump } from './process.ts';
import type { Report } from './report.ts';
import { SymbolDirectory } from './symbols/directory.ts';
import { formatReport } from './text.ts';

export type Walk = {
  /** The path of the dump. */
  readonly dump: string;
  /** Folders of symbols. */
  readonly symbols: readonly string[];
  readonly servers: readonly URL[];
  /** Where downloaded symbols are kept. */
  readonly symbolsCache: string;
  /** Where compiled symbols are kept. */
  readonly cache: string;
  readonly json: boolean;
};

/** Calls `onProblem` with a line for each problem with a server. */
export async function stackwalk(walk: Walk, onProblem: (problem: string) => void): Promise<string> {
  const report = await (walk.servers.length === 0 ? walkWithFolders(walk) : walkFromServers(walk, onProblem));
  return walk.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report);
}

function walkWithFolders({ dump, symbols, cache }: Walk): Report {
  const source = new SymbolDirectory(symbols, { cacheFolder: cache });
  try {
    return processMinidump(readFileSync(dump), { symbols: source });
  } finally {
    source.close();
  }
}

async function walkFromServers(walk: Walk, onProblem: (problem: string) => void): Promise<Report> {
  // Most walks need no server.
  const { walkWithServers } = await import('./walk-with-servers.ts');
  const { dump, symbols, servers, symbolsCache, cache } = walk;
  return walkWithServers(readFileSync(dump), {
    folders: symbols,
    servers,
    downloads: symbolsCache,
    cacheFolder: cache,
    onProblem,
  });
}
