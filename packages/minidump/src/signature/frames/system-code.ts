// Decides which code belongs to the operating system: by the folder of its module, because no list of names is
// complete.
import { baseName } from '../../base-name.ts';
import type { Frame, ModuleReport } from '../../report.ts';
import type { OsName } from '../../streams/system-info.ts';
import { compilePatterns, type PatternList } from '../lists/pattern-list.ts';
import { SYSTEM_FOLDERS } from '../lists/system-folders.ts';

export type LoadedModules = {
  /**
   * The addresses are missing for stacks from text. Of modules with the same name, the addresses then decide nothing.
   */
  readonly modules: readonly (Pick<ModuleReport, 'filename' | 'code_file'> &
    Partial<Pick<ModuleReport, 'base_addr' | 'end_addr'>>)[];
  /** Index of the executable; null if unknown. */
  readonly main: number | null;
};

type Module = LoadedModules['modules'][number];

/**
 * Returns whether a frame is in a module of the OS, a driver or a runtime of the player's machine. The path of the
 * module decides: that of the loaded module, or that in the frame itself (`/apex/com.android.runtime/lib64/libc.so`).
 * A module without a folder is not recognized.
 */
export function findSystemCode(
  os: OsName,
  { modules, main }: LoadedModules,
): (frame: Pick<Frame, 'module' | 'offset'>) => boolean {
  // All apps of Android run in a program of the system.
  const executable = main === null || os === 'android' ? undefined : modules[main]?.code_file;
  const byName = Map.groupBy(modules, ({ filename }) => filename);
  const decided = new Map<Module | string, boolean>();
  return ({ module: name, offset }) => {
    if (name === null) return false;
    const named = byName.get(name) ?? [];
    const module = named.length > 1 ? (named.find((each) => contains(each, offset)) ?? named[0]) : named[0];
    const known = decided.get(module ?? name);
    if (known !== undefined) return known;
    const isSystem = isSystemPath(module?.code_file ?? name, os, executable);
    decided.set(module ?? name, isSystem);
    return isSystem;
  };
}

function contains({ base_addr: base, end_addr: end }: Module, offset: string): boolean {
  if (base === undefined || end === undefined) return false;
  // All are hex digits of the same length.
  return base <= offset && offset < end;
}

const folders = new Map<OsName, PatternList>();
/** Longer paths are not usual; the rest does not decide. */
const MAX_PATH = 1024;

/**
 * Whether the file at this path comes with the OS, a driver or a runtime. What belongs to the executable does not, even
 * in a folder of the system: a game can be installed as a package of a distribution.
 */
export function isSystemPath(path: string, os: OsName, executable?: string): boolean {
  const file = normalizePath(path);
  if (executable !== undefined && belongsTo(file, normalizePath(executable))) return false;
  let list = folders.get(os);
  if (list === undefined) {
    list = compilePatterns(SYSTEM_FOLDERS[os]);
    folders.set(os, list);
  }
  return list.find(file) !== undefined;
}

function normalizePath(path: string): string {
  return path.slice(0, MAX_PATH).replaceAll('\\', '/').toLowerCase();
}

/** Folders that many programs share, as the last part of a path: `/usr/bin`, `/usr/lib/x86_64-linux-gnu`. */
const SHARED = /\/(?:s?bin|lib(?:32|64|x32|exec)?|games|\w+-linux-\w+|windows|system32|syswow64|macos)$|^(?:[a-z]:)?$/;
/** Programs that run other programs. What is in their folders belongs to the distribution. */
const INTERPRETER = /^(?:python|pypy|dotnet|mono|java|wine|node|electron|ruby|perl|qemu|box64|box86|fex)/;
/** Folders of one program: a package of Nix, Guix or Snap, and an application of macOS. */
const PACKAGE = /^(?:\/(?:nix|gnu)\/store\/[^/]+\/|(?:\/var\/lib\/snapd)?\/snap\/[^/]+\/)|^.*?\.app\//;

/**
 * Whether a file comes with the executable: it is in the same package, in the folder of the executable or below, or in
 * one that is named after it, such as `/usr/lib/parking/libaudio.so` for `/usr/bin/parking`.
 */
function belongsTo(file: string, executable: string): boolean {
  if (file === executable) return true;
  const name = baseName(executable).replace(/\.\w+$/, '');
  if (INTERPRETER.test(name)) return false;
  const own = PACKAGE.exec(executable)?.[0];
  if (own !== undefined && file.startsWith(own)) return true;
  const folder = executable.slice(0, Math.max(0, executable.lastIndexOf('/')));
  if (!SHARED.test(folder) && file.startsWith(`${folder}/`)) return true;
  return name.length > 2 && !name.startsWith('lib') && file.includes(`/${name}/`);
}
