// Removes from paths what they say about people and build machines: a home folder is named after its owner, and the
// path of a source file begins where the project was checked out. Dumps are cleaned before anything of them is stored.
import { redactUserPaths } from '@chauffeur/contract/home-folders';
import type { WalkedReport } from '@chauffeur/minidump/process';
import type { CrashpadReport } from '@chauffeur/minidump/report';

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

/** This many parts are enough to identify a file in a path without a source folder. */
const MIN_PARTS = 3;
const MAX_LENGTH = 255;

/**
 * `/home/ci/jobs/game/src/render/layout.cc` → `src/render/layout.cc`: the path from its last source folder, but at
 * least its last three parts, with `/` between them on every OS. Drives, home folders, and the server and revision of a
 * source index are removed.
 */
export function shortenSourcePath(path: string): string {
  // Before that, it isn't certain whose home folder it is: /home/game/../ann/main.c is Ann's.
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

/** Shortens source paths, and replaces the names of home folders everywhere a dump may have a path. */
export function withoutPrivatePaths(report: WalkedReport): WalkedReport {
  const shortened = new Map<string, string>();
  // Thousands of frames are in a few files.
  const shorten = (path: string | null) => {
    if (path === null) return null;
    const short = shortened.get(path) ?? shortenSourcePath(path);
    shortened.set(path, short);
    return short;
  };
  return {
    ...report,
    crash_info: { ...report.crash_info, assertion: redactText(report.crash_info.assertion) },
    modules: report.modules.map((module) => ({ ...module, code_file: redactUserPaths(module.code_file) })),
    threads: report.threads.map((thread) => ({
      ...thread,
      thread_name: redactText(thread.thread_name),
      frames: thread.frames.map((frame) => ({
        ...frame,
        file: shorten(frame.file),
        inlines: frame.inlines.map((inline) => ({ ...inline, file: shorten(inline.file) })),
      })),
    })),
    crashpad: redactCrashpad(report.crashpad),
    mac_crash_info: report.mac_crash_info.map(({ module, message, message2 }) => ({
      module: redactUserPaths(module),
      message: redactUserPaths(message),
      message2: redactUserPaths(message2),
    })),
    warnings: report.warnings.map(redactUserPaths),
  };
}

function redactCrashpad(crashpad: CrashpadReport | null): CrashpadReport | null {
  if (crashpad === null) return null;
  return {
    ...crashpad,
    annotations: redactValues(crashpad.annotations),
    modules: crashpad.modules.map(({ module, annotations, list }) => ({
      module: redactText(module),
      annotations: redactValues(annotations),
      list: list.map(redactUserPaths),
    })),
  };
}

/** Only values can be paths: the names of annotations are chosen by the program. */
function redactValues(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, redactUserPaths(value)]));
}

function redactText(text: string | null): string | null {
  return text === null ? null : redactUserPaths(text);
}
