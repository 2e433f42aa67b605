// The path of a module's symbols in a symbol folder. The names come from a dump, so they cannot be trusted.
import { baseName } from '../base-name.ts';
import type { ModuleId } from './module-symbols.ts';

/** A possible path of a symbol file, relative to the symbol folder. Each part is a plain name. */
export type SymbolPath = readonly [debugFile: string, debugId: string, file: string];

/** Common file systems do not allow longer names. */
const MAX_NAME_BYTES = 255;
/** Names of devices, which Windows opens in any folder and with any extension: `NUL`, `aux.sym`. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)[ ]*(?:[.:]|$)/i;
/** Path separators, characters with a special meaning on Windows (`:` names streams and drives), and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
const UNSAFE = /[/\\:*?"<>|\u0000-\u001f\u007f]/;

/**
 * Returns the possible paths `<debug file>/<debug id>/<name>.sym`, which is the layout of all symbol tools. The name is
 * that of the debug file, with `.pdb` replaced by `.sym`, or otherwise with `.sym` appended. On Windows, debug files are
 * often full paths, of which only the last part is used. The original names come first, then lower-case file names and
 * both cases of the id: Windows does not distinguish `Game.pdb` from `game.pdb`, and a dump can contain either. Returns no
 * paths if a name could leave the folder or open a device.
 */
export function symbolPathsOf({ debugFile, debugId }: ModuleId): SymbolPath[] {
  const name = baseName(debugFile);
  if (!/^[0-9A-Za-z]{1,64}$/.test(debugId)) return [];
  // A lower-case name can be longer: `İ` becomes two letters.
  const names = [...new Set([name, name.toLowerCase()])].filter(
    (candidate) => isSafeName(candidate) && isSafeName(symbolFileName(candidate)),
  );
  const ids = [...new Set([debugId, debugId.toUpperCase(), debugId.toLowerCase()])];
  return names.flatMap((folder) => ids.map((id): SymbolPath => [folder, id, symbolFileName(folder)]));
}

/** Returns the name of a symbol file: `game.pdb` becomes `game.sym`, `libgame.so` becomes `libgame.so.sym`. */
export function symbolFileName(debugFile: string): string {
  return `${debugFile.replace(/(?<=.)\.pdb$/i, '')}.sym`;
}

/** Whether a name, joined to any folder on any operating system, is a file in that folder. */
export function isSafeName(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  // Windows removes dots and spaces at the end: it treats `.. ` as `..`.
  return !UNSAFE.test(name) && !DEVICE.test(name) && !/[. ]$/.test(name) && name.isWellFormed();
}
