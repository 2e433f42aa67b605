// Decides which functions of a stack are the game’s own code: those a developer can mend, and by which crashes resemble each other.
import type { Frame, ModuleReport } from '@chauffeur/minidump/report';
import { labelFrames } from '@chauffeur/minidump/signature/frames/label-frames';
import { defaultLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import type { OsName } from '@chauffeur/minidump/streams/system-info';

/**
 * Where systems keep what is theirs, on the machine of the crash: `/usr/lib/libc.so.6`, `C:\Windows\System32\ntdll.dll`,
 * `/System/Library/Frameworks/…`, `/apex/com.android.runtime/…`. What the kernel maps has no folder: `linux-gate.so`, `[vdso]`.
 */
const SYSTEM_PLACE =
  /^(?:\/usr\/(?!games\/|local\/games\/)|\/lib(?:32|64)?\/|\/(?:System|Library|apex|system|vendor)\/|[a-z]:\\windows\\|linux-(?:gate|vdso)|\[?vdso)/i;

/** Libraries that a language brings along; they are compiled into the game’s own module. */
const LANGUAGE = /^<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__cxxabi|boost)::/;

/** Every program has one of these, whatever it crashes of. */
const ENTRY_POINT = /^(?:w?main|w?WinMain|SDL_main|GuardedMain|android_main|.+::main)$/;

/** Asked about one module or function after the other of the same dump. */
export type OwnCode = {
  /** Whether a module is the game’s, by its file name. */
  has(module: string): boolean;
  /** For each function of the frame whether it is the game’s: those inlined, in their order, and then the frame’s own. */
  of(frame: Frame): { readonly own: boolean; readonly label: string; readonly isNamed: boolean }[];
};

/** `main` is the executable, which is the game’s wherever it lies. */
export function findOwnCode(modules: readonly ModuleReport[], main: number | null, os: OsName): OwnCode {
  const foreign = new Set(
    modules
      .filter(({ code_file }, index) => index !== main && SYSTEM_PLACE.test(code_file))
      .map(({ filename }) => filename),
  );
  return {
    has: (module) => !foreign.has(module),
    of: (frame) =>
      labelFrames([frame], os, defaultLists.trim).map(({ label, hasFunction: isNamed }) => ({
        own: frame.module !== null && !foreign.has(frame.module) && !(isNamed && isRuntime(label)),
        label,
        isNamed,
      })),
  };
}

/** What a signature passes over, or names without stopping at it, is not where a game is at fault. */
function isRuntime(label: string): boolean {
  const { irrelevant, prefix } = defaultLists;
  return LANGUAGE.test(label) || irrelevant.find(label) !== undefined || prefix.find(label) !== undefined;
}

/** A group is known by this many functions. */
const MOST_FUNCTIONS = 5;

/** The first of the game’s own functions on a stack, the innermost first, each once, by the names that signatures use. */
export function ownFunctions(frames: readonly Frame[], code: OwnCode): string[] {
  const found = new Set<string>();
  for (const frame of frames) {
    for (const { own, label, isNamed } of code.of(frame)) {
      if (own && isNamed && !ENTRY_POINT.test(label)) found.add(label);
      if (found.size === MOST_FUNCTIONS) return [...found];
    }
  }
  return [...found];
}
