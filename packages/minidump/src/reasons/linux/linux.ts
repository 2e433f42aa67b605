// Crash reasons on Linux and Android: the signal and its cause or sender.
import type { Exception } from '../../streams/exception.ts';
import { hex32, hexReason } from '../hex.ts';
import { CAUSES, SENDERS, SIGNALS } from './signals.ts';

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
