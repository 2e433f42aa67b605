// Reads what the import rules check in a source file: its imports, and the lines that read the environment.
import { posix } from 'node:path';

export type Import = {
  /** The first line is 1. */
  readonly line: number;
  /** The text as written. */
  readonly specifier: string;
  /** Path from the root for a file of this repository, otherwise the specifier. */
  readonly target: string;
  readonly typeOnly: boolean;
};

export type Source = {
  /** The path from the root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** Lines, from 1, that read the environment of the process. */
  readonly environmentReads: readonly number[];
};

/** The ways to import a file. The formatter keeps statements at the start of a line. */
const FORMS = [
  /^(?:import|export)(?<type>\s+type\b)?[\w\s{},*$]*?\bfrom\s+['"](?<specifier>[^'"]+)['"]/gm,
  /^import\s+['"](?<specifier>[^'"]+)['"]/gm,
  /\bimport\(\s*['"](?<specifier>[^'"]+)['"]/g,
  // The file of a worker thread.
  /\bnew URL\(\s*['"](?<specifier>[^'"]+\.tsx?)['"],\s*import\.meta\.url/g,
] as const;

const ENVIRONMENT = /\bprocess\.env\b|\benv\b[^;]*\}\s*=\s*process\b/g;
const COMMENT_LINE = /^[ \t]*(?:\/\/|\/?\*).*$/gm;

/** Reads one file; `path` is its path from the root. */
export function readSource(path: string, text: string): Source {
  const code = text.replace(COMMENT_LINE, '');
  const lineAt = (index: number) => code.slice(0, index).split('\n').length;
  const imports = FORMS.flatMap((form) => [...code.matchAll(form)]).map((match): Import => {
    const { specifier = '', type } = match.groups ?? {};
    return {
      line: lineAt(match.index + match[0].lastIndexOf(specifier)),
      specifier,
      target: targetOf(path, specifier),
      typeOnly: type !== undefined,
    };
  });
  imports.sort((a, b) => a.line - b.line);
  const environmentReads = [...code.matchAll(ENVIRONMENT)].map((match) => lineAt(match.index));
  return { path, imports, environmentReads };
}

/** Our packages export `./*` as `./src/*.ts`. */
function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const [, name, file] = /^@chauffeur\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name === undefined ? specifier : `packages/${name}/src/${file ?? ''}.ts`;
}
