// Shortens the path of a source file to the part that is the same on every build machine.
import { redactUserPaths } from './user-paths.ts';

/** Names of source folders. The path before the last of them only says where the project was checked out. */
const SOURCE_FOLDERS: ReadonlySet<string> = new Set([
  'assets',
  'include',
  'packages',
  'source',
  'sources',
  'src',
  'thirdparty',
  'third_party',
  'vendor',
]);

/** Enough parts to identify a file in a path without a source folder. */
const MIN_PARTS = 3;
const MAX_LENGTH = 255;

/**
 * `/home/ci/jobs/game/src/render/layout.cc` → `src/render/layout.cc`: the path from its last source folder, but at
 * least its last three parts, with `/` between them on every OS. Drives, home folders, and the server and revision of a
 * source index are removed.
 */
export function shortenSourcePath(path: string): string {
  // Only then is it certain what is in a home folder: /home/game/../ann/main.c is Ann's.
  const resolved = resolve(withoutIndex(path));
  const parts = partsOf(redactUserPaths(resolved).replace(/^.*<user>/, ''));
  const folder = parts.slice(0, -1).findLastIndex((part) => SOURCE_FOLDERS.has(part.toLowerCase()));
  const start = Math.max(0, Math.min(folder < 0 ? parts.length : folder, parts.length - MIN_PARTS));
  return parts.slice(start).join('/').slice(-MAX_LENGTH);
}

/**
 * Some build systems replace the path by its origin, in four fields, of which the third is the path:
 * `hg:hg.example.com/game:src/main.cc:4f2a`, `git:github.com/studio/game:src/main.cc:4f2a`,
 * `s3:bucket:9c1/src/main.cc:`.
 */
function withoutIndex(path: string): string {
  return /^(?:hg|git|s3):[^:]*:([^:]+):[^:]*$/.exec(path)?.[1] ?? path;
}

/** The path with `/` between its parts, and without `.` and `..`. */
function resolve(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[/\\]+/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return (/^[/\\]/.test(path) ? '/' : '') + parts.join('/');
}

/** The parts of a resolved path without drives. */
function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && !/^[a-z]:$/i.test(part));
}
