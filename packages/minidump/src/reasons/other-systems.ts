// Crash reasons on Fuchsia (Zircon's exception types), Solaris (its signals) and PlayStation 3 (exceptions of its kernel).
import type { Exception } from '../streams/exception.ts';
import { hex32, hexReason } from './hex.ts';

/** `ZX_EXCP_*` from `zircon/syscalls/exception.h`, with Breakpad's names. */
const FUCHSIA_EXCEPTIONS: ReadonlyMap<number, string> = new Map([
  [0x0008, 'GENERAL'],
  [0x0108, 'FATAL_PAGE_FAULT'],
  [0x0208, 'UNDEFINED_INSTRUCTION'],
  [0x0308, 'SW_BREAKPOINT'],
  [0x0408, 'HW_BREAKPOINT'],
  [0x0508, 'UNALIGNED_ACCESS'],
  [0x8008, 'THREAD_STARTING'],
  [0x8108, 'THREAD_EXITING'],
  [0x8208, 'POLICY_ERROR'],
  [0x8308, 'PROCESS_STARTING'],
]);

/** Returns a reason such as `FATAL_PAGE_FAULT / 0x00000000`. */
export function nameFuchsiaReason(exception: Exception): string {
  const name = FUCHSIA_EXCEPTIONS.get(exception.code);
  return name === undefined ? hexReason(exception) : `${name} / ${hex32(exception.flags)}`;
}

// The signals of Solaris differ from Linux's, starting with 7.

/** Breakpad's names, by number from 1 (`sys/iso/signal_iso.h`): both names of a signal that has two. */
const SOLARIS_SIGNALS: readonly string[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGILL',
  'SIGTRAP',
  'SIGIOT | SIGABRT',
  'SIGEMT',
  'SIGFPE',
  'SIGKILL',
  'SIGBUS',
  'SIGSEGV',
  'SIGSYS',
  'SIGPIPE',
  'SIGALRM',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
  'SIGCLD | SIGCHLD',
  'SIGPWR',
  'SIGWINCH',
  'SIGURG',
  'SIGPOLL | SIGIO',
  'SIGSTOP',
  'SIGTSTP',
  'SIGCONT',
  'SIGTTIN',
  'SIGTTOU',
  'SIGVTALRM',
  'SIGPROF',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGWAITING',
  'SIGLWP',
  'SIGFREEZE',
  'SIGTHAW',
  'SIGCANCEL',
  'SIGLOST',
  'SIGXRES',
  'SIGJVM1',
  'SIGJVM2',
];

/** Returns a reason such as `SIGSEGV`. */
export function nameSolarisReason(exception: Exception): string {
  return SOLARIS_SIGNALS[exception.code - 1] ?? hexReason(exception);
}

/** Breakpad's names, by number from 0. */
const PS3_EXCEPTIONS: readonly string[] = [
  'UNKNOWN',
  'TRAP_EXCEP',
  'PRIV_INSTR',
  'ILLEGAL_INSTR',
  'INSTR_STORAGE',
  'INSTR_SEGMENT',
  'DATA_STORAGE',
  'DATA_SEGMENT',
  'FLOAT_POINT',
  'DABR_MATCH',
  'ALIGN_EXCEP',
  'MEMORY_ACCESS',
  'COPRO_ALIGN',
  'COPRO_INVALID_COM',
  'COPRO_ERR',
  'COPRO_FIR',
  'COPRO_DATA_SEGMENT',
  'COPRO_DATA_STORAGE',
  'COPRO_STOP_INSTR',
  'COPRO_HALT_INSTR',
  'COPRO_HALTINSTR_UNKNOWN',
  'COPRO_MEMORY_ACCESS',
  'GRAPHIC',
];

/** Returns a reason such as `DATA_STORAGE`. */
export function namePs3Reason(exception: Exception): string {
  return PS3_EXCEPTIONS[exception.code] ?? hexReason(exception);
}
