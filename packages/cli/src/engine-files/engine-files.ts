// The files of `chauffeur build --write`, from which engines and compilers read the ids of a build. The name of a file
// decides its format.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { LocalError } from '../failures.ts';
import { readExactly, writeIfChanged } from '../text-files.ts';
import type { BuildIds, WriteIds } from './build-ids.ts';
import { refuseForeign, writeCSharp, writeGdscript, writeHeader } from './generated.ts';
import {
  refuseOtherCrashes,
  requireObject,
  requireProject,
  writeEnv,
  writeGodotProject,
  writeIni,
  writeJson,
  writeUnrealIni,
} from './settings.ts';

type Format = {
  /** Matches the name without folders. */
  readonly pattern: RegExp;
  readonly write: WriteIds;
  /** Throws LocalError if the file must not be written. */
  readonly check?: (file: string, before: string | null) => void;
};

/** The first format whose pattern matches is used. */
const FORMATS: readonly Format[] = [
  { pattern: /\.(h|hh|hpp|hxx)$/i, write: writeHeader, check: refuseForeign },
  { pattern: /\.cs$/i, write: writeCSharp, check: refuseForeign },
  { pattern: /\.gd$/i, write: writeGdscript, check: refuseForeign },
  { pattern: /\.json$/i, write: writeJson, check: requireObject },
  { pattern: /^project\.godot$/i, write: writeGodotProject, check: requireProject },
  { pattern: /^DefaultEngine\.ini$/i, write: writeUnrealIni, check: refuseOtherCrashes },
  { pattern: /\.ini$/i, write: writeIni },
  { pattern: /^\.env(\..+)?$|\.env$/i, write: writeEnv },
];

const KNOWN =
  'C and C++ headers (.h, .hpp), C# (.cs), GDScript (.gd), JSON (.json), settings of Unreal Engine (.ini), ' +
  'project.godot and .env';

export type EngineFile = { readonly file: string; readonly format: Format };

/** Checks that the ids can be written to each file, before anything is registered. Rejects with LocalError. */
export async function checkEngineFiles(files: readonly string[]): Promise<EngineFile[]> {
  const checked: EngineFile[] = [];
  for (const file of files) {
    const format = FORMATS.find(({ pattern }) => pattern.test(basename(file)));
    if (format === undefined)
      throw new LocalError(`--write: the format of ${file} is not known.`, `Use one of these: ${KNOWN}.`);
    const stats = await stat(file).catch(() => null);
    if (stats?.isDirectory()) throw new LocalError(`--write: ${file} is a folder.`, 'Add the name of the file.');
    format.check?.(file, await readExactly(file));
    checked.push({ file, format });
  }
  return checked;
}

/** Writes the ids into files that need it, and returns which were written. Rejects with LocalError. */
export async function writeEngineFiles(
  files: readonly EngineFile[],
  ids: BuildIds,
): Promise<{ file: string; changed: boolean }[]> {
  const results: { file: string; changed: boolean }[] = [];
  for (const { file, format } of files) {
    const text = format.write(ids, await readExactly(file));
    results.push({ file, changed: await writeIfChanged(file, text) });
  }
  return results;
}
