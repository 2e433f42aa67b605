// Where a module’s symbols lie below a folder of symbols. The names come from a dump, so that nobody vouches for them.
import type { ModuleId } from './module-symbols.ts';

/** Where a symbol file may lie, from the root of the symbols. Each part is a plain name. */
export type SymbolPath = readonly [debugFile: string, debugId: string, file: string];

/** No file system takes longer names. */
const MAX_NAME_BYTES = 255;
/** Names of devices, which Windows opens in any folder and with any ending: `NUL`, `aux.sym`. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$)[ ]*(?:[.:]|$)/i;
/** Separators of either kind, what Windows gives a meaning (`:` names streams and drives), and control characters, NUL first. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const UNSAFE = /[/\\:*?"<>|\u0000-\u001f\u007f]/;

/**
 * `<debug file>/<debug id>/<name>.sym`, as every tool that stores symbols lays them out; the name is the debug file’s, with `.sym` in the
 * place of `.pdb`, and behind it otherwise. Debug files of Windows are often whole paths, of which the last part counts.
 * Where the names as they are find nothing, lower-case file names and either case of the id are tried: Windows does not tell
 * `Game.pdb` from `game.pdb`, and a dump may hold the other one. None when a name could lead out of the folder, or to a device.
 */
export function symbolPathsOf({ debugFile, debugId }: ModuleId): SymbolPath[] {
  const name = debugFile.split(/[/\\]/).at(-1)!;
  if (!/^[0-9A-Za-z]{1,64}$/.test(debugId)) return [];
  // In lower case a name may be longer: `İ` becomes two letters.
  const names = [...new Set([name, name.toLowerCase()])].filter(
    (one) => isSafeName(one) && isSafeName(symbolFileName(one)),
  );
  const ids = [...new Set([debugId, debugId.toUpperCase(), debugId.toLowerCase()])];
  return names.flatMap((folder) => ids.map((id): SymbolPath => [folder, id, symbolFileName(folder)]));
}

/** `game.pdb` → `game.sym`, `libgame.so` → `libgame.so.sym`. */
export function symbolFileName(debugFile: string): string {
  return `${debugFile.replace(/(?<=.)\.pdb$/i, '')}.sym`;
}

/** Whether a name is that of a file in whatever folder it is joined to, on every system. */
export function isSafeName(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  // Windows drops dots and spaces at the end: `.. ` is `..` to it.
  return !UNSAFE.test(name) && !DEVICE.test(name) && !/[. ]$/.test(name) && name.isWellFormed();
}
