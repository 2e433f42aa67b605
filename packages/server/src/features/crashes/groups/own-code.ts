// Decides which functions of a stack are the game's own code: a developer can fix these, and similar crashes share
// them.
import type { Frame, ModuleReport } from '@chauffeur/minidump/report';
import { labelFrames } from '@chauffeur/minidump/signature/frames/label-frames';
import { defaultLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import type { OsName } from '@chauffeur/minidump/streams/system-info';

/**
 * The folders of operating systems on the player's machine: `/usr/lib/libc.so.6`, `C:\Windows\System32\ntdll.dll`,
 * `/System/Library/Frameworks/…`, `/apex/com.android.runtime/…`. Modules mapped by the kernel have no folder:
 * `linux-gate.so`, `[vdso]`.
 */
const SYSTEM_FOLDER =
  /^(?:\/usr\/(?!games\/|local\/games\/)|\/lib(?:32|64)?\/|\/(?:System|Library|apex|system|vendor)\/|[a-z]:\\windows\\|linux-(?:gate|vdso)|\[?vdso)/i;

/** Standard libraries and runtimes of languages, which are compiled into the game's own module. */
const LANGUAGE = /^<?(?:std|core|alloc|__gnu_cxx|__cxxabiv1|__cxxabi|boost)::/;

/** Every stack of a program has one of these, whatever the crash. */
const ENTRY_POINT = /^(?:w?main|w?WinMain|SDL_main|GuardedMain|android_main|.+::main)$/;

export type OwnCode = {
  /** Whether the module with this file name is the game's. */
  has(module: string): boolean;
  /** The functions of a frame, the inlined ones first: whether each is the game's, and its label in signatures. */
  of(frame: Frame): { readonly own: boolean; readonly label: string; readonly isNamed: boolean }[];
};

/** `main` is the index of the executable, which belongs to the game in any folder. */
export function findOwnCode(modules: readonly ModuleReport[], main: number | null, os: OsName): OwnCode {
  const foreign = new Set(
    modules
      .filter(({ code_file }, index) => index !== main && SYSTEM_FOLDER.test(code_file))
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

/** Functions that signatures skip or continue past are not the cause of a crash. */
function isRuntime(label: string): boolean {
  const { irrelevant, prefix } = defaultLists;
  return LANGUAGE.test(label) || irrelevant.find(label) !== undefined || prefix.find(label) !== undefined;
}

/** Enough to find similar groups. */
const MAX_FUNCTIONS = 5;

/** The labels of the game's innermost functions on a stack, each once. */
export function ownFunctions(frames: readonly Frame[], code: OwnCode): string[] {
  const labels = new Set<string>();
  for (const frame of frames) {
    for (const { own, label, isNamed } of code.of(frame)) {
      if (own && isNamed && !ENTRY_POINT.test(label)) labels.add(label);
      if (labels.size === MAX_FUNCTIONS) return [...labels];
    }
  }
  return [...labels];
}
