// Shortens the path of a source file to what is the same on every machine that builds the game.
import { redactUserPaths } from '../read/user-paths.ts';

/** Folders in which sources are kept: what stands before the last of them is where the project happened to lie. */
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

/** Enough of a path to know a file by, where no folder is known. */
const LEAST_PARTS = 3;
const LONGEST = 255;

/**
 * `/home/ci/jobs/game/src/render/layout.cc` → `src/render/layout.cc`: from the last well-known source folder, and at least the last three
 * parts, with `/` between them on every system. Drives, home folders and the server and revision of a source index go.
 */
export function shortenSourcePath(path: string): string {
  const parts = partsOf(redactUserPaths(withoutIndex(path)));
  const known = parts.slice(0, -1).findLastIndex((part) => SOURCE_FOLDERS.has(part.toLowerCase()));
  const start = Math.max(0, Math.min(known < 0 ? parts.length : known, parts.length - LEAST_PARTS));
  return parts.slice(start).join('/').slice(-LONGEST);
}

/**
 * Some build systems write where a file came from in the place of its path, in four fields: `hg:hg.example.com/game:src/main.cc:4f2a`,
 * `git:github.com/studio/game:src/main.cc:4f2a`, `s3:bucket:9c1/src/main.cc:`. The third is the path.
 */
function withoutIndex(path: string): string {
  return /^(?:hg|git|s3):[^:]*:([^:]+):[^:]*$/.exec(path)?.[1] ?? path;
}

/** Without a drive, home folders, and steps up and down. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.replace(/^.*<user>/, '').split(/[/\\]+/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.' && !/^[a-z]:$/i.test(part)) parts.push(part);
  }
  return parts;
}
