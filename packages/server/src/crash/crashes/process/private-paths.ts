// Removes user names and build machine folders from the paths in a walked dump, before anything of it is stored or
// shown.
import type { WalkedReport } from '@chauffeur/minidump/process';
import type { CrashpadReport } from '@chauffeur/minidump/report';
import { shortenSourcePath } from '../report/source-path.ts';
import { redactUserPaths } from '../report/user-paths.ts';

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
