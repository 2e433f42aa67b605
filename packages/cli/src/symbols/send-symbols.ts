// Sends the symbols of what a build left behind. Shared by symbols and push.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@chauffeur/contract/client';
import { scriptUrlOf } from '@chauffeur/sentry/mappings/script-url';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { formatCount } from '../output.ts';
import { type Found, findFiles } from './find-files.ts';
import { type MappingFile, readMappings } from './mappings.ts';
import type { Conversion } from './plan.ts';
import { idOf, type ReadModule, readModules } from './read-modules.ts';
import { listSymbols, type Stored, type SymbolFile, type Uploaded, uploadFiles } from './upload-symbols.ts';

/** A module, as it is printed. Numbers are null if the service has them alone. */
export type ModuleRow = {
  readonly kind: Stored['kind'];
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
export async function sendSymbols(
  found: FoundSymbols,
  to: Destination,
  context: Context,
  { injects = false }: { readonly injects?: boolean } = {},
): Promise<SentSymbols> {
  const converted = join(found.temp, 'converted');
  await mkdir(converted);
  const listed = to === null ? [] : await listSymbols(to.client, to.buildId, context);
  const readable = listed.filter(isReadable);
  const isComplete = (conversion: Conversion) => findComplete(conversion, readable) !== undefined;
  const { modules, skipped, warnings: ofModules } = await readModules(found.files, isComplete, converted, context);
  const mappings = await readMappings(found.files, { injects });
  const warnings = [...ofModules, ...mappings.warnings];
  if (modules.length === 0 && skipped.length === 0 && mappings.files.length === 0)
    throw nothingToSend([...found.warnings, ...warnings], found.paths);
  const checksums = new Set(readable.map(({ checksum }) => checksum));
  const present = modules.filter(({ sha256 }) => checksums.has(sha256));
  const fresh = modules.filter((module) => !present.includes(module) && !isEmpty(module));
  const isKnown = ({ kind, name, sha256 }: MappingFile) =>
    readable.some((each) => each.kind === kind && each.checksum === sha256 && isNamed(each, name));
  const freshMappings = mappings.files.filter((file) => !isKnown(file));
  const skippedCount = present.length + skipped.length + mappings.files.length - freshMappings.length;
  if (skippedCount > 0)
    context.output.note(`Skipped ${formatCount(skippedCount, 'symbol file')} that the service already has.`);
  const sent =
    to === null || to.isDryRun
      ? { symbols: [], not_used: [] }
      : await uploadAll(to, [fresh, freshMappings.map((file) => ({ ...file, isAtPath: true }))], found.temp, context);
  const isSent = to !== null && !to.isDryRun;
  const problems = isSent ? problemsOf(sent, modules) : modules.flatMap(describeEmpty);
  const all = [...found.warnings, ...warnings, ...problems];
  for (const warning of all) context.output.note(`warning: ${warning}`);
  return {
    ...sent,
    skipped: skippedCount,
    modules: [
      ...modules.map((module) => rowOf(module, stateOf(module, checksums, sent, to))),
      ...mappings.files.map((file) => mappingRow(file, stateOfMapping(isKnown(file), to))),
      ...skipped.map((conversion) => presentRow(conversion, findComplete(conversion, readable)!)),
    ].sort((a, b) => (a.debug_file.toLowerCase() < b.debug_file.toLowerCase() ? -1 : 1)),
    warnings: all,
  };
}

/** Scripts and mappings are sent apart from symbols, so that older servers take at least these. */
async function uploadAll(
  { client, buildId }: NonNullable<Destination>,
  groups: readonly (readonly SymbolFile[])[],
  temp: string,
  context: Context,
): Promise<Uploaded> {
  const sent: Uploaded = { symbols: [], not_used: [] };
  for (const [index, files] of groups.entries()) {
    const folder = join(temp, `upload-${index}`);
    await mkdir(folder);
    const { symbols, not_used: unused } = await uploadFiles(client, files, buildId, folder, context);
    sent.symbols.push(...symbols);
    sent.not_used.push(...unused);
  }
  return sent;
}

/** Whether the service has a file under the address that it gets from its path. */
function isNamed({ debug_file: listed }: Stored, name: string): boolean {
  return listed === scriptUrlOf(name) || listed === name.slice(name.lastIndexOf('/') + 1);
}

function stateOfMapping(isKnown: boolean, to: Destination): ModuleRow['state'] {
  if (isKnown) return 'present';
  return to === null || to.isDryRun ? 'not_sent' : 'uploaded';
}

function mappingRow({ kind, name, debugId }: MappingFile, state: ModuleRow['state']): ModuleRow {
  const unknown = { code_id: null, cpu: '', functions: null, lines: null, unwind: null };
  return { kind, debug_file: name, debug_id: debugId, ...unknown, source: name, state };
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
 * in several files. WebAssembly has no such rules. Those of Windows also need the code id, which is only in the program.
 */
function findComplete({ main }: Conversion, listed: readonly Stored[]): Stored | undefined {
  if (main.id === undefined || /^0*$/.test(main.id)) return undefined;
  const stored = listed.filter(({ debug_id: debugId }) => idOf({ debugId }) === main.id);
  if (main.format !== 'wasm' && !stored.some(({ unwind }) => (unwind ?? 0) > 0)) return undefined;
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
    kind: 'symbols',
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
    kind: 'symbols',
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
      `${paths.join(', ')} contains no .sym files, programs, debug files or source maps.`,
      'Use the folder in which the build leaves its programs and debug files, or its scripts and source maps.',
    );
  return new LocalError([first, ...others].join('\n'), 'Use the files as the linker wrote them.');
}
