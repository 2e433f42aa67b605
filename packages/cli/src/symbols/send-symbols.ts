// Sends the symbols of what a build left behind. Shared by symbols and push.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { formatCount } from '../output.ts';
import { type Found, findFiles } from './find-files.ts';
import type { Conversion } from './plan.ts';
import { idOf, type ReadModule, readModules } from './read-modules.ts';
import { listSymbols, type Stored, type Uploaded, uploadFiles } from './upload-symbols.ts';

/** A module, as it is printed. Numbers are null if the service has them alone. */
export type ModuleRow = {
  readonly debug_file: string;
  readonly debug_id: string;
  readonly code_id: string | null;
  readonly cpu: string;
  readonly source: string;
  readonly functions: number | null;
  readonly lines: number | null;
  readonly unwind: boolean | null;
  readonly state: 'uploaded' | 'present' | 'not_used' | 'not_sent' | 'empty';
};

export type SentSymbols = Uploaded & {
  /** The number of files that the service already has. */
  readonly skipped: number;
  readonly modules: readonly ModuleRow[];
  /** Sentences, which have been printed. */
  readonly warnings: readonly string[];
};

export type FoundSymbols = Found & { readonly paths: readonly string[]; readonly temp: string };

/** Rejects with LocalError if there is nothing of use in one of the paths. `temp` is an empty folder. */
export async function findSymbols(paths: readonly string[], temp: string, context: Context): Promise<FoundSymbols> {
  const unpacked = join(temp, 'unpacked');
  await mkdir(unpacked);
  return { ...(await findFiles(paths, unpacked, context.signal)), paths, temp };
}

/** The service and the build; null if the symbols are only read. `isDryRun` asks what it has, without sending. */
export type Destination = { readonly client: Client; readonly buildId: string; readonly isDryRun: boolean } | null;

/** Converts what was found, and uploads what the service doesn't have. Prints warnings. */
export async function sendSymbols(found: FoundSymbols, to: Destination, context: Context): Promise<SentSymbols> {
  const converted = join(found.temp, 'converted');
  await mkdir(converted);
  const listed = to === null ? [] : await listSymbols(to.client, to.buildId, context);
  const readable = listed.filter(isReadable);
  const isComplete = (conversion: Conversion) => findComplete(conversion, readable) !== undefined;
  const { modules, skipped, warnings } = await readModules(found.files, isComplete, converted, context);
  if (modules.length === 0 && skipped.length === 0) throw nothingToSend([...found.warnings, ...warnings], found.paths);
  const checksums = new Set(readable.map(({ checksum }) => checksum));
  const present = modules.filter(({ sha256 }) => checksums.has(sha256));
  const fresh = modules.filter((module) => !present.includes(module) && !isEmpty(module));
  const skippedCount = present.length + skipped.length;
  if (skippedCount > 0)
    context.output.note(`Skipped ${formatCount(skippedCount, 'symbol file')} that the service already has.`);
  const sent =
    to === null || to.isDryRun
      ? { symbols: [], not_used: [] }
      : await uploadFiles(to.client, fresh, to.buildId, found.temp, context);
  const isSent = to !== null && !to.isDryRun;
  const problems = isSent ? problemsOf(sent, modules) : modules.flatMap(describeEmpty);
  const all = [...found.warnings, ...warnings, ...problems];
  for (const warning of all) context.output.note(`warning: ${warning}`);
  return {
    ...sent,
    skipped: skippedCount,
    modules: [
      ...modules.map((module) => rowOf(module, stateOf(module, checksums, sent, to))),
      ...skipped.map((conversion) => presentRow(conversion, findComplete(conversion, readable)!)),
    ].sort((a, b) => (a.debug_file.toLowerCase() < b.debug_file.toLowerCase() ? -1 : 1)),
    warnings: all,
  };
}

/** Whether the conversion has found nothing. What was given as a symbol file is sent as it is. */
function isEmpty({ isConverted, functions, publics, hasUnwind }: ReadModule): boolean {
  return isConverted && functions + publics === 0 && !hasUnwind;
}

/** Whether the service could read the file; an unreadable one is uploaded again. */
function isReadable({ state }: Stored): boolean {
  return state !== 'unreadable';
}

/**
 * What the service has of the module, if a conversion can't add to it: functions with lines, and unwind rules, perhaps
 * in several files. Those of Windows also need the code id, which is only in the program.
 */
function findComplete({ main }: Conversion, listed: readonly Stored[]): Stored | undefined {
  if (main.id === undefined || /^0*$/.test(main.id)) return undefined;
  const stored = listed.filter(({ debug_id: debugId }) => idOf({ debugId }) === main.id);
  if (!stored.some(({ unwind }) => (unwind ?? 0) > 0)) return undefined;
  const isWindows = main.format === 'pe' || main.format === 'pdb';
  // Older servers don't say whether there are lines.
  return stored.find(({ has_lines: hasLines, code_id: codeId }) => hasLines && (codeId !== null || !isWindows));
}

/** What the service says about files, apart from what was said before. */
function problemsOf({ symbols, not_used: unused }: Uploaded, modules: readonly ReadModule[]): string[] {
  // Of converted files, it was said with what to add.
  const described = new Set(modules.filter(({ isConverted }) => isConverted).map(({ debugId }) => debugId));
  return [
    ...unused.map(({ file, reason }) => `${file} (not used): ${reason}`),
    ...symbols.flatMap(({ debug_file: name, debug_id: id, problem }) =>
      problem === null || problem === undefined || described.has(id) ? [] : `${name}: ${problem}`,
    ),
  ];
}

/** Says what the service would say about a symbol file. */
function describeEmpty({ isConverted, functions, source }: ReadModule): string[] {
  if (isConverted || functions > 0) return [];
  return [`${source} has no functions, so crashes show no lines. It usually comes from a stripped program.`];
}

function stateOf(
  module: ReadModule,
  checksums: ReadonlySet<string>,
  sent: Uploaded,
  to: Destination,
): ModuleRow['state'] {
  if (checksums.has(module.sha256)) return 'present';
  if (isEmpty(module)) return 'empty';
  if (to === null || to.isDryRun) return 'not_sent';
  const isUnused = sent.not_used.some(({ file }) => file === module.name || module.name.endsWith(`/${file}`));
  return isUnused ? 'not_used' : 'uploaded';
}

function rowOf(module: ReadModule, state: ModuleRow['state']): ModuleRow {
  const { debugFile, debugId, codeId, cpu, source, functions, lines, hasUnwind } = module;
  return {
    debug_file: debugFile,
    debug_id: debugId,
    code_id: codeId,
    cpu,
    source,
    functions,
    lines,
    unwind: hasUnwind,
    state,
  };
}

function presentRow({ main }: Conversion, stored: Stored): ModuleRow {
  const { debug_file, debug_id, code_id, cpu, functions } = stored;
  return {
    debug_file,
    debug_id,
    code_id,
    cpu,
    source: main.file.name,
    functions,
    lines: null,
    unwind: (stored.unwind ?? 0) > 0 ? true : null,
    state: 'present',
  };
}

function nothingToSend(warnings: readonly string[], paths: readonly string[]): LocalError {
  const [first, ...others] = warnings;
  if (first === undefined)
    return new LocalError(
      `${paths.join(', ')} contains no .sym files, programs or debug files.`,
      'Use the folder in which the build leaves its programs and debug files.',
    );
  return new LocalError([first, ...others].join('\n'), 'Use the files as the linker wrote them.');
}
