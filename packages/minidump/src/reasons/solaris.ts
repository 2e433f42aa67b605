// Crash reasons on Solaris: its signals, which differ from Linux's, starting with 7.
import type { Exception } from '../streams/exception.ts';
import { hexReason } from './hex.ts';

/** Breakpad's names, by number from 1 (`sys/iso/signal_iso.h`): both names of a signal that has two. */
const SIGNALS: readonly string[] = [
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
  return SIGNALS[exception.code - 1] ?? hexReason(exception);
}
