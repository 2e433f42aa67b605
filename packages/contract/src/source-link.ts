// Links from the stack of a crash to the source code of the game.

import { findTemplateProblem, type Placeholders } from './web-address.ts';

/** Where the source code of a game can be read. */
export type SourceLinks = {
  /** The text has `{path}`, and optionally `{commit}` and `{line}`. */
  readonly url_template: string;
  /** The folders on the machines that compile the game, which are removed from the paths of files. */
  readonly path_prefixes: readonly string[];
};

export const SOURCE_PLACEHOLDERS: Placeholders = { names: ['commit', 'path', 'line'], required: ['path'] };

export type SourceFile = { readonly file: string; readonly line: number | null };

/**
 * The address of a file in the source code; null if its path begins with no prefix and is not relative, as with files
 * of compilers and libraries, or if the template needs a commit and there is none, or was valid only in an earlier
 * version.
 */
export function makeSourceLink(
  { url_template: template, path_prefixes: prefixes }: SourceLinks,
  { file, line }: SourceFile,
  commit: string | null,
): string | null {
  const path = relativePath(file, prefixes);
  if (path === null || (commit === null && template.includes('{commit}'))) return null;
  if (findTemplateProblem(template, SOURCE_PLACEHOLDERS) !== null) return null;
  const values: Readonly<Record<string, string>> = {
    commit: commit ?? '',
    path: path.toWellFormed().split('/').map(encodeURIComponent).join('/'),
    line: String(line ?? 1),
  };
  return template.replace(/\{(commit|path|line)\}/g, (_, name: string) => values[name] ?? '');
}

/** The longest prefix counts. Windows does not distinguish case, so prefixes do not either. */
function relativePath(file: string, prefixes: readonly string[]): string | null {
  const path = resolvePath(file);
  if (path === null) return null;
  const found = prefixes
    .map((prefix) => `${resolvePath(prefix)?.replace(/\/+$/, '')}/`)
    .filter((prefix) => path.toLowerCase().startsWith(prefix.toLowerCase()))
    .sort((a, b) => b.length - a.length)[0];
  const rest = found === undefined ? path : path.slice(found.length);
  return rest !== '' && !/^(?:\/|[A-Za-z]:)/.test(rest) ? rest : null;
}

/** The path with slashes, and without `.` and `..`; null if it leads out of its root. */
function resolvePath(path: string): string | null {
  const [, root = '', rest = ''] = /^([A-Za-z]:\/+|\/+)?(.*)$/s.exec(path.replaceAll('\\', '/')) ?? [];
  const parts: string[] = [];
  for (const part of rest.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '' && part !== '.' && part !== '..') parts.push(part);
  }
  return root + parts.join('/');
}
