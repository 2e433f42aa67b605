// The address at which a symbol server has the symbols of a module.
import type { ModuleId } from '../module-symbols.ts';
import { type SymbolPath, symbolPathsOf } from '../symbol-path.ts';

/** Reads the address of a server; undefined when it is not an http or https URL, or holds a user and password. */
export function readServerUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isUsable ? url : undefined;
}

/** In the folder of downloads a name gets endings, and file systems take 255 bytes. */
const MAX_NAME_BYTES = 200;

/**
 * The module's place below the root of a server, and below a folder of symbols: `<debug file>/<debug id>/<name>.sym`, with the GUID of the id in upper
 * case and its age in lower case. Undefined when a name of the dump could lead anywhere else.
 */
export function serverPathOf(module: ModuleId): SymbolPath | undefined {
  const debugId = module.debugId.slice(0, 32).toUpperCase() + module.debugId.slice(32).toLowerCase();
  const path = symbolPathsOf({ ...module, debugId })[0];
  return path === undefined || Buffer.byteLength(path[2]) > MAX_NAME_BYTES ? undefined : path;
}

/** `<server>/game.pdb/5A98…F1/game.sym?code_file=game.exe&code_id=5B2A…`: servers find the program by the queries when they have no symbols yet. */
export function symbolUrlOf(server: URL, path: SymbolPath, { codeFile, codeId }: ModuleId): URL {
  const url = new URL(server);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');
  // Where the player has the game is no concern of a server's.
  const name = codeFile.split(/[/\\]/).at(-1)!;
  if (name !== '' && name.isWellFormed()) url.searchParams.set('code_file', name);
  if (codeId !== '') url.searchParams.set('code_id', codeId);
  return url;
}
