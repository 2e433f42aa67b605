// Frames of native code in text: a module, a function with arguments, an offset, and a file with a line. The names of
// the module and the function decide whether a frame is the game's own code.
import { baseName } from '@chauffeur/minidump/base-name';
import { SIGNALS } from '@chauffeur/minidump/reasons/linux';
import { isSystemPath } from '@chauffeur/minidump/signature/frames/system-code';
import { defaultLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import { normalizeName } from '@chauffeur/minidump/signature/names/normalize-name';
import type { OsName } from '@chauffeur/minidump/streams/system-info';
import { closingOf, isDigits, locationOf, splitLast } from './line-parsers.ts';
import { shownFile } from './source-names.ts';
import { frame, type TraceFrame } from './trace.ts';

type NativeFields = {
  readonly function?: string | null | undefined;
  /** The name with its folder, which says whether it is the OS's. */
  readonly module?: string | null | undefined;
  readonly offset?: string | null | undefined;
  readonly file?: string | null | undefined;
  readonly line?: number | null | undefined;
  readonly column?: number | null | undefined;
};

/** The name of a signal that ends programs, from its number on Linux or macOS: 10 is a `SIGBUS` of macOS. */
export function nameSignal(number: number): string {
  return number === 10 ? 'SIGBUS' : (SIGNALS.get(number) ?? `signal ${number}`);
}

/** Names that writers give to functions without symbols. */
const UNNAMED =
  /^(?:\(?unknown\)?|<unknown>|\?\?|UnknownFunction(?: \[\])?|\(null\)|_?__lambda|\(\)|\(Mono JIT Code\))$/i;

export function nativeFrame({ function: rawName, module: path, offset, file, line, column }: NativeFields): TraceFrame {
  const name = rawName === undefined || rawName === null || UNNAMED.test(rawName.trim()) ? null : rawName.trim();
  const module = path === undefined || path === null || path === '' ? null : moduleOf(path);
  return frame({
    function: name === '' ? null : name,
    module,
    path: module !== null && path !== module ? (path ?? null) : null,
    offset: offset ?? null,
    file: file === undefined || file === null || /^\?+$/.test(file) ? null : shownFile(file),
    line: line === 0 ? null : (line ?? null),
    column: column ?? null,
    own: isOwnFrame(path ?? '', name === '' ? null : name),
  });
}

/** Libraries in an APK are known by their own name: `base.apk!libgame.so`. */
function moduleOf(path: string): string {
  const name = baseName(path.replace(/ \(deleted\)$/, ''));
  return name.slice(name.lastIndexOf('!') + 1);
}

/**
 * What remains of a frame after its number and address: `in Player::move(int) /src/player.cpp:12:3`,
 * `(/lib/libc.so.6+0x42520)`, `Player::move(int) + 12`, `Player::move(int) (player.cpp:12)`, and gdb's
 * `?? () from /lib/libc.so.6`.
 */
export function nativeRest(text: string): TraceFrame | null {
  const [beforeFrom, from] = splitLast(text.trim(), ' from /') ?? [text.trim(), null];
  let rest = beforeFrom;
  let module = from === null ? null : `/${from}`;
  let offset: string | null = null;
  // `(module+0x12)` at the end, with a build id after it.
  rest = rest.replace(/ \(BuildId: [^)]{0,100}\)$/, '');
  const inModule = /(?:^| )\(([^()]{1,300})\+(0x[0-9a-f]{1,16})\)$/i.exec(rest);
  if (inModule !== null) {
    module = inModule[1]!;
    offset = inModule[2]!;
    rest = rest.slice(0, inModule.index).trimEnd();
  }
  rest = rest.replace(/^in /, '');
  const { name, place } = splitPlace(rest);
  if (name === '' && module === null) return null;
  return nativeFrame({ function: withoutDistance(name).replace(/ \(\)$/, ''), module, offset, ...place });
}

/**
 * `Player::move(int) (src/player.cpp:12)`, `Player::move(int) at src/player.cpp:12`, `Player::move(int)
 * src/a.cpp:12:3`.
 */
export function splitPlace(text: string): { name: string; place: Partial<ReturnType<typeof locationOf>> } {
  if (text.endsWith(')')) {
    const open = text.lastIndexOf(' (');
    const inside = open < 0 ? '' : text.slice(open + 2, -1);
    if (open >= 0 && /:\d{1,7}$/.test(inside)) return { name: text.slice(0, open), place: locationOf(inside) };
  }
  const atFile = splitLast(text, ' at ');
  if (atFile !== null && /:\d{1,7}$/.test(atFile[1])) return { name: atFile[0], place: locationOf(atFile[1]) };
  const open = text.indexOf('(');
  // The arguments may contain spaces, so the file follows what closes them.
  const close = open < 0 ? -1 : closingOf(text, open);
  const from = text.indexOf(' ', Math.max(0, close));
  const file = from < 0 ? '' : text.slice(from + 1);
  if (/:\d{1,7}$/.test(file) && !isDigits(file)) return { name: text.slice(0, from), place: locationOf(file) };
  return { name: text, place: {} };
}

/** `Player::move(int)+12` and `Player::move(int) + 12` of tombstones and Apple's reports. */
export function withoutDistance(text: string): string {
  return text.replace(/ ?\+ ?(?:0x[0-9a-f]{1,16}|\d{1,9})$/i, '');
}

/** Standard libraries and runtimes of languages, which are compiled into the game's own module. */
const LANGUAGE = /^<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__cxxabi|boost)::/;

/** Whether a frame of a text report is the game's own code. Without a module, its function decides. */
function isOwnFrame(modulePath: string, name: string | null): boolean {
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
