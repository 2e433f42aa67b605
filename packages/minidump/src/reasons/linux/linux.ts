// Linux and Android: the signal, and in which way it came about.
import type { Exception } from '../../streams/exception.ts';
import { hex32, hexReason } from '../hex.ts';
import { CAUSES, SENDERS, SIGNALS } from './signals.ts';

/** `si_code` of a signal that a process sent with kill(2); also what writers leave that do not know the code. */
const SI_USER = 0;

/**
 * `SIGSEGV / SEGV_MAPERR`, `SIGABRT / SI_TKILL`, `SIGFPE / 0x0000002a`.
 *
 * Breakpad’s client for Linux wrote 0 for every `si_code` for years: `SIGSEGV` with 0 is then an ordinary access to bad
 * memory, and calling it SI_USER would be false. So 0 is not said at all, as rust-minidump does it. Causes have the
 * numbers 1 and up for each signal anew; a number that the signal does not have is hex.
 */
export function nameLinuxReason(exception: Exception): string {
  const { code, flags } = exception;
  const signal = SIGNALS.get(code);
  if (signal === undefined) return hexReason(exception);
  if (flags === SI_USER) return signal;
  return `${signal} / ${CAUSES[signal]?.[flags] ?? SENDERS.get(flags) ?? hex32(flags)}`;
}
