// Decides which functions of a stack are the game's own code: a developer can fix these, and similar crashes share
// them.
import type { Frame, ModuleReport } from '@chauffeur/minidump/report';
import { labelFrames } from '@chauffeur/minidump/signature/frames/label-frames';
import { findSystemCode } from '@chauffeur/minidump/signature/frames/system-code';
import { defaultLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import type { OsName } from '@chauffeur/minidump/streams/system-info';
import { isRuntime } from '../text/native-frames.ts';

/** Every stack of a program has one of these, whatever the crash. */
const ENTRY_POINT = /^(?:w?main|w?WinMain|SDL_main|GuardedMain|android_main|.+::main)$/;

export type OwnCode = {
  /** Whether the module is the game's. */
  has(module: ModuleReport): boolean;
  /** Whether a frame is in code of the operating system, by the folder or the name of its module. */
  isSystem(frame: Frame): boolean;
  /** The functions of a frame, the inlined ones first: whether each is the game's, and its label in signatures. */
  of(frame: Frame): { readonly own: boolean; readonly label: string; readonly isNamed: boolean }[];
};

/** `main` is the index of the executable. It belongs to the game in any folder, and so does what comes with it. */
export function findOwnCode(modules: readonly ModuleReport[], main: number | null, os: OsName): OwnCode {
  const isInSystemFolder = findSystemCode(os, { modules, main });
  return {
    has: ({ filename, base_addr }) => !isInSystemFolder({ module: filename, offset: base_addr }),
    isSystem: (frame) =>
      isInSystemFolder(frame) ||
      [frame.module ?? '', (frame.module ?? '').toLowerCase()].some(
        (label) => defaultLists.systemModules.find(label) !== undefined,
      ),
    of: (frame) =>
      labelFrames([frame], os, defaultLists.trim).map(({ label, hasFunction: isNamed }) => ({
        own: frame.module !== null && !isInSystemFolder(frame) && !(isNamed && isRuntime(label)),
        label,
        isNamed,
      })),
  };
}

/** This many functions are enough to find similar groups. */
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

/**
 * The reason without details that differ between players for the same fault: freed memory may be unmapped (`SIGSEGV /
 * SEGV_MAPERR`) or protected, and be read or written (`EXCEPTION_ACCESS_VIOLATION_WRITE`). Empty if there is no reason.
 */
export function classOfReason(reason: string | null): string {
  return (reason ?? '').replace(/ \/.*$/, '').replace(/_(?:READ|WRITE|EXEC)$/, '');
}
