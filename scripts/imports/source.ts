// Reads out of a source file what the import rules judge: its imports and the places where it reads the environment.
import { posix } from 'node:path';

export type Import = {
  /** From 1. */
  readonly line: number;
  /** As written. */
  readonly specifier: string;
  /** Path from the root, when the target is a file of ours; else the specifier. */
  readonly target: string;
  readonly typeOnly: boolean;
};

export type Source = {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** Lines, from 1, that read the environment of the process. */
  readonly environmentReads: readonly number[];
};

/** The ways in which a file names another. The formatter keeps statements at the start of a line. */
const FORMS = [
  /^(?:import|export)(?<type>\s+type\b)?[\w\s{},*$]*?\bfrom\s+['"](?<specifier>[^'"]+)['"]/gm,
  /^import\s+['"](?<specifier>[^'"]+)['"]/gm,
  /\bimport\(\s*['"](?<specifier>[^'"]+)['"]/g,
  // A worker thread’s file.
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
  const [, room, file] = /^@chauffeur\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return room === undefined ? specifier : `packages/${room}/src/${file ?? ''}.ts`;
}
