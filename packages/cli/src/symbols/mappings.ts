// Pairs scripts with their source maps, among what was found, and gives them debug ids if that is asked for. Mappings of
// ProGuard, R8 and IL2CPP are alone.
import { hash } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { MappingError } from '@chauffeur/sentry/mappings/error';
import { injectDebugId } from '@chauffeur/sentry/mappings/inject';
import { type MappingFacts, mappingFactsOf } from '@chauffeur/sentry/mappings/mapping-facts';
import { MAX_MAPPING_BYTES, type MappingKind } from '@chauffeur/sentry/mappings/mapping-kind';
import { mapUrlOf, scriptUrlOf } from '@chauffeur/sentry/mappings/script-url';
import { LocalError } from '../failures.ts';
import type { FoundFile } from './find-files.ts';

type FoundMapping = FoundFile & { readonly kind: MappingKind };

/** A file to send. */
export type MappingFile = {
  readonly kind: MappingKind;
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  /** Empty for a file without one. */
  readonly debugId: string;
};

export type ReadMappings = {
  readonly files: readonly MappingFile[];
  /** Sentences about what is missing or left out. */
  readonly warnings: readonly string[];
};

function isMapping(file: FoundFile): file is FoundMapping {
  return file.kind !== 'symbols' && file.kind !== 'native';
}

/** `injects`: whether scripts and maps without debug ids are changed, so that they have some. */
export async function readMappings(
  files: readonly FoundFile[],
  { injects }: { injects: boolean },
): Promise<ReadMappings> {
  const mappings = files.filter(isMapping);
  const warnings: string[] = [];
  const small = mappings.filter(({ name, size }) => {
    if (size > MAX_MAPPING_BYTES) warnings.push(`${name} is left out because it is larger than 128 MB.`);
    return size <= MAX_MAPPING_BYTES;
  });
  const maps = small.filter(({ kind }) => kind === 'source_map');
  const mapped = new Set<FoundMapping>();
  const read: MappingFile[] = [];
  for (const script of small.filter(({ kind }) => kind === 'script')) {
    const facts = await factsOf(script);
    const map = mapOf(script, facts, maps);
    if (map === undefined) {
      if (facts.hasInlineMap) read.push(await fileOf(script));
      else if (facts.sourceMapUrl !== '')
        warnings.push(`${script.name} is left out because its source map is missing: ${facts.sourceMapUrl}. Add it.`);
      continue;
    }
    if (injects) warnings.push(...(await inject(script, map)));
    mapped.add(map);
    read.push(await fileOf(script));
  }
  for (const map of maps.filter((each) => !mapped.has(each)))
    warnings.push(`${map.name} has no script, so names of functions are guessed. Add the .js file that it belongs to.`);
  for (const file of small.filter(({ kind }) => kind !== 'script')) read.push(await fileOf(file));
  return { files: read, warnings };
}

async function factsOf({ kind, path }: FoundMapping): Promise<MappingFacts> {
  return mappingFactsOf(kind, await readFile(path));
}

/** The map that a script names, or that has its name. */
function mapOf(script: FoundMapping, facts: MappingFacts, maps: readonly FoundMapping[]): FoundMapping | undefined {
  const named = mapUrlOf(scriptUrlOf(script.name), facts.sourceMapUrl);
  return (
    (named === '' ? undefined : maps.find(({ name }) => scriptUrlOf(name) === named)) ??
    maps.find(({ name }) => name === `${script.name}.map`)
  );
}

async function fileOf({ kind, path, name }: FoundMapping): Promise<MappingFile> {
  const bytes = await readFile(path);
  const { debugId } = mappingFactsOf(kind, bytes);
  return { kind, path, name, size: bytes.length, sha256: hash('sha256', bytes), debugId };
}

/** Changes both files, the map first. Returns what went wrong, as sentences. */
async function inject(script: FoundMapping, map: FoundMapping): Promise<string[]> {
  if (script.isUnpacked || map.isUnpacked)
    throw new LocalError(
      `${script.name} is in an archive, which can't be changed.`,
      'Use --inject with the folder that players get, before it is packed.',
    );
  const [scriptText, mapText] = [await readFile(script.path, 'utf8'), await readFile(map.path, 'utf8')];
  try {
    const injected = injectDebugId(scriptText, mapText);
    if (!injected.isChanged) return [];
    if (injected.map !== mapText) await replace(map.path, injected.map);
    if (injected.script !== scriptText) await replace(script.path, injected.script);
    return [];
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return [`${map.name} can't be used: ${error.message}. ${script.name} was not changed.`];
  }
}

/** A file is whole at any time, even if the command is interrupted. */
async function replace(path: string, text: string): Promise<void> {
  const temp = `${path}.chauffeur-${process.pid}`;
  const { mode } = await stat(path);
  await writeFile(temp, text, { mode });
  await rename(temp, path);
}
