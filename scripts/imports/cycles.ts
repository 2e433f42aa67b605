// Finds import cycles, type-only imports included. Starting a worker thread is not an import.
import type { Source } from './source.ts';

/** Returns the files of each cycle, in the order of their imports; one cycle for each file that closes one. */
export function findCycles(sources: readonly Source[]): string[][] {
  return cyclesOf(
    new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target).filter(isCode)])),
  );
}

/** The same for groups of files, such as features, which `groupOf` names. Files without a group don't count. */
export function findGroupCycles(sources: readonly Source[], groupOf: (path: string) => string | undefined): string[][] {
  const targets = new Map<string, string[]>();
  for (const { path, imports } of sources) {
    const group = groupOf(path);
    if (group === undefined) continue;
    const others = imports.flatMap(({ target }) => groupOf(target) ?? []).filter((other) => other !== group);
    targets.set(group, [...(targets.get(group) ?? []), ...others]);
  }
  return cyclesOf(targets);
}

function cyclesOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
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
