// The URL of a module's symbols on a symbol server.

import { identifyModule } from '../module-identity.ts';
import type { ModuleId } from '../module-symbols.ts';
import { type SymbolPath, symbolPathsOf } from '../symbol-path.ts';

/** Parses the URL of a server; undefined if it is not an http or https URL, or if it contains credentials. */
export function readServerUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isUsable ? url : undefined;
}

/** File systems allow names of 255 bytes, and suffixes are added to the names of downloads. */
const MAX_NAME_BYTES = 200;

/**
 * Returns the path of a module's symbols on a server and in the folder of downloads: `<debug file>/<debug id>/<name>.sym`,
 * with the GUID of the id in upper case and its age in lower case. A module without a debug id is found by its code id.
 * Undefined if it has neither, or if its name is unsafe.
 */
export function serverPathOf(module: ModuleId): SymbolPath | undefined {
  const { name, debugId, codeId } = identifyModule(module);
  const path = symbolPathsOf({ ...module, debugFile: name, debugId: debugId || codeId })[0];
  return path === undefined || Buffer.byteLength(path[2]) > MAX_NAME_BYTES ? undefined : path;
}

/**
 * Returns `<server>/game.pdb/5A98…F1/game.sym?code_file=game.exe&code_id=5B2A…`. With the query, servers that do not have
 * the symbols yet can find the program and create them.
 */
export function symbolUrlOf(server: URL, path: SymbolPath, { codeFile, codeId }: ModuleId): URL {
  const url = new URL(server);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...path.map(encodeURIComponent)].join('/');
  // For privacy, the server does not get the folder in which the player installed the game.
  const name = codeFile.split(/[/\\]/).at(-1)!;
  if (name !== '' && name.isWellFormed()) url.searchParams.set('code_file', name);
  if (codeId !== '') url.searchParams.set('code_id', codeId);
  return url;
}
