// The corpus of native programs next to the repository, with the symbol files that a reference converter made of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const FOLDER = join(import.meta.dirname, '../../../../shared/symbols-corpus');

/** The `skip` of a test: false, or the reason for skipping the tests of the corpus. */
export const CORPUS_MISSING = existsSync(FOLDER) ? false : 'skipped: corpus not found';

/** Returns the names of the cases, of damaged inputs, and so on that begin with a text. */
export function listCorpus(prefix: string, folder = ''): string[] {
  if (CORPUS_MISSING) return [];
  return readdirSync(join(FOLDER, folder))
    .filter((name) => name.startsWith(prefix))
    .sort();
}

/** Returns the contents of a file, unpacked. Returns undefined if there is no such file. */
export function readCorpus(path: string): Uint8Array | undefined {
  const file = join(FOLDER, path);
  if (existsSync(`${file}.gz`)) return gunzipSync(readFileSync(`${file}.gz`));
  return existsSync(file) ? readFileSync(file) : undefined;
}

/** Returns the name and contents of the PE file of a case; undefined if it has none. */
export function readProgram(name: string): { name: string; bytes: Uint8Array } | undefined {
  const file = listCorpus('', name).find((candidate) => /\.(exe|dll)(\.gz)?$/.test(candidate));
  if (file === undefined) return undefined;
  const plain = file.replace(/\.gz$/, '');
  return { name: plain, bytes: readCorpus(`${name}/${plain}`)! };
}

/** Returns the lines of the reference. */
export function readReference(name: string, file = 'reference.sym'): string[] {
  const text = readCorpus(`${name}/${file}`);
  return text === undefined ? [] : new TextDecoder().decode(text).split('\n');
}

/** Returns the rules at each row of each function, by its address. Rules are in the order of their registers. */
export function rulesByFunction(lines: readonly string[]): Map<number, string[]> {
  const functions = new Map<number, string[]>();
  let rows: string[] = [];
  let current = new Map<string, string>();
  for (const line of lines) {
    const start = /^STACK CFI INIT (\w+) \w+ (.*)$/.exec(line);
    const rules = start?.[2] ?? /^STACK CFI \w+ (.*)$/.exec(line)?.[1];
    if (rules === undefined) continue;
    if (start !== null) {
      current = new Map();
      rows = [];
      functions.set(Number.parseInt(start[1]!, 16), rows);
    }
    for (const [, register = '', rule = ''] of rules.matchAll(/(\S+): (.*?)(?= \S+:|$)/g)) current.set(register, rule);
    rows.push(
      [...current]
        .map(([register, rule]) => `${register}: ${rule}`)
        .sort()
        .join(' '),
    );
  }
  return functions;
}
