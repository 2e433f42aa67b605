// Decides which native frames are the game's own code, by the names of their module and function.
import { baseName } from '@chauffeur/minidump/base-name';
import { isSystemPath } from '@chauffeur/minidump/signature/frames/system-code';
import { defaultLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import { normalizeName } from '@chauffeur/minidump/signature/names/normalize-name';
import type { OsName } from '@chauffeur/minidump/streams/system-info';

/** Standard libraries and runtimes of languages, which are compiled into the game's own module. */
const LANGUAGE = /^<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__cxxabi|boost)::/;

/** Whether a frame of a text report is the game's own code. Without a module, its function decides. */
export function isOwnFrame(modulePath: string, name: string | null): boolean {
  if (isSystemPath(modulePath, osOfPath(modulePath))) return false;
  const module = baseName(modulePath);
  if ([module, module.toLowerCase()].some((label) => defaultLists.systemModules.find(label) !== undefined))
    return false;
  return name === null ? module !== '' : !isRuntime(defaultLists.trim(normalizeName(name, null)));
}

/** The OS that the path of a module is from, as texts don't say. */
export function osOfPath(path: string): OsName {
  if (/\.(?:dll|exe|drv)$/i.test(path) || /^[a-z]:\\/i.test(path)) return 'windows';
  if (/^\/(?:system|system_ext|apex|vendor|product|odm|data)\//.test(path)) return 'android';
  if (/^\/(?:System|Library|Applications|Users|private)\/|\.dylib$|\.(?:app|framework)\//.test(path)) return 'macos';
  return path.startsWith('/') ? 'linux' : 'unknown';
}

/** Functions that signatures skip or continue past are not the cause of a crash. */
export function isRuntime(label: string): boolean {
  const { irrelevant, prefix } = defaultLists;
  return LANGUAGE.test(label) || irrelevant.find(label) !== undefined || prefix.find(label) !== undefined;
}
