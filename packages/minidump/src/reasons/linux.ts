// Crash reasons on Linux and Android: the signal and its cause or sender.
import type { Exception } from '../streams/exception.ts';
import { hex32, hexReason } from './hex.ts';

/** The `si_code` of a signal sent with kill(2). Writers that do not know the code also use this value. */
const SI_USER = 0;

/**
 * Returns a reason such as `SIGSEGV / SEGV_MAPERR`, `SIGABRT / SI_TKILL` or `SIGFPE / 0x0000002a`.
 *
 * For years, Breakpad's Linux client wrote 0 for every `si_code`. `SIGSEGV` with 0 is then an ordinary invalid memory
 * access, and SI_USER would be wrong. So, like rust-minidump, this omits the code 0. Each signal has its own numbering of
 * causes, starting at 1; a number that the signal does not define is printed as hex.
 */
export function nameLinuxReason(exception: Exception): string {
  const { code, flags } = exception;
  const signal = SIGNALS.get(code);
  if (signal === undefined) return hexReason(exception);
  if (flags === SI_USER) return signal;
  return `${signal} / ${CAUSES[signal]?.[flags] ?? SENDERS.get(flags) ?? hex32(flags)}`;
}

// The signals, causes and senders are those of `asm-generic/signal.h` and `asm-generic/siginfo.h`.

export const SIGNALS: ReadonlyMap<number, string> = new Map([
  [1, 'SIGHUP'],
  [2, 'SIGINT'],
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [5, 'SIGTRAP'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [10, 'SIGUSR1'],
  [11, 'SIGSEGV'],
  [12, 'SIGUSR2'],
  [13, 'SIGPIPE'],
  [14, 'SIGALRM'],
  [15, 'SIGTERM'],
  [16, 'SIGSTKFLT'],
  [17, 'SIGCHLD'],
  [18, 'SIGCONT'],
  [19, 'SIGSTOP'],
  [20, 'SIGTSTP'],
  [21, 'SIGTTIN'],
  [22, 'SIGTTOU'],
  [23, 'SIGURG'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
  [26, 'SIGVTALRM'],
  [27, 'SIGPROF'],
  [28, 'SIGWINCH'],
  [29, 'SIGIO'],
  [30, 'SIGPWR'],
  [31, 'SIGSYS'],
  // Not a signal: the program requested a dump of itself from Breakpad or Crashpad.
  [0xffffffff, 'DUMP_REQUESTED'],
]);

/** The senders of any signal. In the headers, all but SI_KERNEL are negative; in a dump they are unsigned. */
const SENDERS: ReadonlyMap<number, string> = new Map([
  [0x00000080, 'SI_KERNEL'],
  [0xffffffff, 'SI_QUEUE'],
  [0xfffffffe, 'SI_TIMER'],
  [0xfffffffd, 'SI_MESGQ'],
  [0xfffffffc, 'SI_ASYNCIO'],
  [0xfffffffb, 'SI_SIGIO'],
  [0xfffffffa, 'SI_TKILL'],
  [0xfffffff9, 'SI_DETHREAD'],
  [0xffffffc4, 'SI_ASYNCNL'],
]);

/** The causes of signals that the kernel itself raises, by signal. */
const CAUSES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  SIGILL: {
    1: 'ILL_ILLOPC',
    2: 'ILL_ILLOPN',
    3: 'ILL_ILLADR',
    4: 'ILL_ILLTRP',
    5: 'ILL_PRVOPC',
    6: 'ILL_PRVREG',
    7: 'ILL_COPROC',
    8: 'ILL_BADSTK',
    9: 'ILL_BADIADDR',
  },
  SIGFPE: {
    1: 'FPE_INTDIV',
    2: 'FPE_INTOVF',
    3: 'FPE_FLTDIV',
    4: 'FPE_FLTOVF',
    5: 'FPE_FLTUND',
    6: 'FPE_FLTRES',
    7: 'FPE_FLTINV',
    8: 'FPE_FLTSUB',
    14: 'FPE_FLTUNK',
    15: 'FPE_CONDTRAP',
  },
  SIGSEGV: {
    1: 'SEGV_MAPERR',
    2: 'SEGV_ACCERR',
    3: 'SEGV_BNDERR',
    4: 'SEGV_PKUERR',
    5: 'SEGV_ACCADI',
    6: 'SEGV_ADIDERR',
    7: 'SEGV_ADIPERR',
    8: 'SEGV_MTEAERR',
    9: 'SEGV_MTESERR',
    10: 'SEGV_CPERR',
  },
  SIGBUS: {
    1: 'BUS_ADRALN',
    2: 'BUS_ADRERR',
    3: 'BUS_OBJERR',
    4: 'BUS_MCEERR_AR',
    5: 'BUS_MCEERR_AO',
  },
  SIGTRAP: {
    1: 'TRAP_BRKPT',
    2: 'TRAP_TRACE',
    3: 'TRAP_BRANCH',
    4: 'TRAP_HWBKPT',
    5: 'TRAP_UNK',
    6: 'TRAP_PERF',
  },
  SIGSYS: {
    1: 'SYS_SECCOMP',
    2: 'SYS_USER_DISPATCH',
  },
};
