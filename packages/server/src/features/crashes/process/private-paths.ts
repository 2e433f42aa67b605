// Takes out of a stackwalk’s report what paths tell of people and of build machines, before anything of it is stored or shown.
import type { CrashpadReport, Report } from '@chauffeur/minidump/report';
import { redactUserPaths } from '../read/user-paths.ts';
import { shortenSourcePath } from './source-path.ts';

/** The report with source paths shortened, and without the names of people’s home folders wherever a dump may have a path. */
export function withoutPrivatePaths(report: Report): Report {
  const known = new Map<string, string>();
  // Thousands of frames lie in a handful of files.
  const shorten = (path: string | null) => {
    if (path === null) return null;
    const short = known.get(path) ?? shortenSourcePath(path);
    known.set(path, short);
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

/** Program and player name annotations as they like: only the values are paths. */
function redactValues(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, redactUserPaths(value)]));
}

function redactText(text: string | null): string | null {
  return text === null ? null : redactUserPaths(text);
}
