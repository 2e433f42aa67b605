// Finds the modules in which the walk of the crashed thread ended early, or went on by guessing, because nothing
// describes how to leave their functions.
import type { Frame, ModuleReport, Report } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { identifyModule } from '@chauffeur/minidump/symbols/module-identity';
import { crashedThread, osOfReport } from '../groups/grouping.ts';
import { findOwnCode } from '../groups/own-code.ts';

/** A module that stopped a walk, as it is stored with the report. */
export type WalkStop = {
  /** The file name of the module. */
  readonly module: string;
  /** The name and the id under which its symbols are found; the code file and its id for a module without a debug id. */
  readonly debug_file: string;
  readonly debug_id: string;
  readonly version: string | null;
  readonly os: string;
  /** `x86`, `amd64`, `arm` or `arm64`. */
  readonly cpu: string;
  /** Whether it belongs to the game rather than to the player's system. */
  readonly own: boolean;
  readonly how: 'stopped' | 'guessed';
};

/** A stack goes through a few modules. Forged dumps can have any number. */
export const MAX_STOPS = 16;
const MAX_NAME_LENGTH = 255;

/**
 * Each module once, the innermost first. Modules of the system below the game's outermost function are left out: the
 * first functions of a thread are not the game's, and say nothing about the crash.
 */
export function findStops(report: Report): WalkStop[] {
  const thread = crashedThread(report);
  if (thread === undefined) return [];
  const { frames } = thread;
  const code = findOwnCode(report.modules, report.main_module, osOfReport(report));
  let outermost: number | undefined;
  const stops = new Map<ModuleReport, WalkStop>();
  for (const [index, frame] of frames.entries()) {
    const how = howItWent(frames[index + 1], thread.incomplete);
    const module = how === null ? undefined : moduleOf(frame, report.modules);
    if (how === null || module === undefined) continue;
    const own = code.has(module) && !code.isSystem(frame);
    if (!own) {
      outermost ??= frames.findLastIndex((each) => code.of(each).some((called) => called.own));
      // Without a function of the game, the walk did not get to it.
      if (outermost !== -1 && outermost < index) continue;
    }
    if (stops.size === MAX_STOPS && !stops.has(module)) break;
    if (how === 'stopped' || !stops.has(module)) stops.set(module, describeStop(report, module, { own, how }));
  }
  return [...stops.values()];
}

function howItWent(caller: Frame | undefined, isIncomplete = false): WalkStop['how'] | null {
  if (caller === undefined) return isIncomplete ? 'stopped' : null;
  return caller.trust === 'scan' ? 'guessed' : null;
}

/** The addresses are padded, so that they can be compared as texts. */
function moduleOf({ module: name, offset }: Frame, modules: readonly ModuleReport[]): ModuleReport | undefined {
  if (name === null) return undefined;
  return modules.find(
    ({ filename, base_addr, end_addr }) => filename === name && base_addr <= offset && offset < end_addr,
  );
}

function describeStop(
  { system_info: system }: Report,
  { filename, debug_file, debug_id, code_id, version }: ModuleReport,
  { own, how }: Pick<WalkStop, 'own' | 'how'>,
): WalkStop {
  const ids = { debugFile: debug_file, debugId: debug_id, codeFile: filename, codeId: code_id };
  const { name, debugId, codeId } = identifyModule(ids);
  return {
    module: nameOf(filename),
    debug_file: nameOf(name),
    debug_id: nameOf(debugId || codeId),
    version: version === null ? null : nameOf(version),
    os: nameOf(system.os),
    cpu: nameOf(system.cpu_arch),
    own,
    how,
  };
}

function nameOf(text: string): string {
  return cutTo(toPrintable(text), MAX_NAME_LENGTH);
}
