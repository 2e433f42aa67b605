// Finds import cycles, type-only imports included. Starting a worker thread is not an import.
import type { Source } from './source.ts';

/** Returns the files of each cycle, in the order of their imports; one cycle for each file that closes one. */
export function findCycles(sources: readonly Source[]): string[][] {
  const targets = new Map(
    sources.map(({ path, imports }) => [path, imports.map(({ target }) => target).filter(isCode)]),
  );
  const cycles: string[][] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (path: string): void => {
    const start = open.indexOf(path);
    if (start >= 0) cycles.push(open.slice(start));
    if (start >= 0 || done.has(path)) return;
    open.push(path);
    for (const target of targets.get(path) ?? []) visit(target);
    open.pop();
    done.add(path);
  };
  for (const path of targets.keys()) visit(path);
  return cycles;
}

function isCode(target: string): boolean {
  return !target.endsWith('.thread.ts');
}
