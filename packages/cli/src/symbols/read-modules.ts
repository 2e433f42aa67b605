// Reads what was found: converts native files, counts what is in symbol files, and warns about what is missing.
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { startProgress } from '../progress.ts';
import { SYMBOL_LIMITS } from './batches.ts';
import type { FoundFile } from './find-files.ts';
import { type Conversion, nameOf, planConversions } from './plan.ts';
import { type Module, runInThreads, type ThreadTask } from './threads.ts';
import { describeMissing } from './warnings.ts';

/** A symbol file that was made or found. */
export type ReadModule = Module & {
  /** The path in the folder or archive that was given. */
  readonly source: string;
  /** The path in an upload. */
  readonly name: string;
  readonly isConverted: boolean;
};

export type ReadModules = {
  readonly modules: readonly ReadModule[];
  /** What was not converted, because `isComplete` says that the service has it. */
  readonly skipped: readonly Conversion[];
  readonly warnings: readonly string[];
};

/** `isComplete` says whether a conversion can't add to what the service has. `temp` is a folder for new files. */
export async function readModules(
  files: readonly FoundFile[],
  isComplete: (conversion: Conversion) => boolean,
  temp: string,
  context: Context,
): Promise<ReadModules> {
  const given = files.filter(({ kind }) => kind === 'symbols');
  const symbols = await readAll(
    given,
    ({ path }) => ({ kind: 'count', path }),
    ({ size }) => size,
    null,
    context,
  );
  const known = symbols.flatMap(({ module }) => (module !== null && module.functions > 0 ? idOf(module) : []));
  const native = files.filter(({ kind }) => kind === 'native');
  const plan = planConversions(native, new Set(known));
  const { conversions = [], skipped = [] } = Object.groupBy(plan.conversions, (conversion) =>
    isComplete(conversion) ? 'skipped' : 'conversions',
  );
  const converted = await readAll(
    conversions,
    (conversion, index) => taskOf(conversion, join(temp, `${index}.sym`)),
    sizeOf,
    'converting',
    context,
  );
  const named = [
    ...symbols.map(({ item: file, ...rest }) => ({ file, ...rest, conversion: null })),
    ...converted.map(({ item: conversion, ...rest }) => ({ file: conversion.main.file, ...rest, conversion })),
  ];
  const modules = named.flatMap(({ file, module, conversion }) =>
    module === null
      ? []
      : {
          ...{ ...module, source: file.name, isConverted: conversion !== null },
          name: conversion === null ? nameOfFound(file) : nameOfConverted(module),
        },
  );
  const failures = named.flatMap(({ file, problem }) =>
    problem === null ? [] : `${file.name} can't be converted: ${problem}.`,
  );
  const missing = describeMissing(
    converted.flatMap(({ item, module }) => (module === null ? [] : { conversion: item, module })),
  );
  return { modules, skipped, warnings: [...plan.warnings, ...failures, ...missing] };
}

type Read<Item> = { readonly item: Item; readonly module: Module | null; readonly problem: string | null };

async function readAll<Item>(
  items: readonly Item[],
  toTask: (item: Item, index: number) => ThreadTask,
  toSize: (item: Item) => number,
  label: string | null,
  { output, env, signal }: Context,
): Promise<Read<Item>[]> {
  // The largest first, so that no core waits for it at the end.
  const ordered = items.toSorted((a, b) => toSize(b) - toSize(a));
  const total = items.reduce((sum, item) => sum + toSize(item), 0);
  const progress = label === null ? null : startProgress(label, output, env);
  let done = 0;
  const replies = await runInThreads(ordered.map(toTask), signal, (index) => {
    done += toSize(ordered[index] as Item);
    progress?.update(done, total);
  }).finally(() => progress?.finish());
  const read = new Map(ordered.map((item, index) => [item, replies[index]]));
  return items.map((item) => ({ item, module: null, problem: null, ...read.get(item) }));
}

function taskOf({ main, counterpart, splitFiles }: Conversion, out: string): ThreadTask {
  return {
    kind: 'convert',
    path: main.file.path,
    counterpart: counterpart?.file.path,
    cpu: main.format === 'macho' ? main.cpu : undefined,
    ...{ splitFiles, out, maxBytes: SYMBOL_LIMITS.fileBytes },
  };
}

function sizeOf({ main, counterpart }: Conversion): number {
  return main.file.size + (counterpart?.file.size ?? 0);
}

/** The debug id without its age. */
export function idOf({ debugId }: { readonly debugId: string }): string {
  return debugId.slice(0, 32).toUpperCase();
}

function nameOfFound({ name }: FoundFile): string {
  return /\.sym$/i.test(name) ? name : `${name}.sym`;
}

/** Returns the usual path in a folder of symbols: `game.pdb/<debug id>/game.pdb.sym`. */
function nameOfConverted({ debugFile, debugId }: Module): string {
  const last = nameOf({ name: debugFile.replaceAll('\\', '/') });
  return `${last}/${debugId}/${last}.sym`;
}
