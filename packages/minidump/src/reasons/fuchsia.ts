// Crash reasons on Fuchsia: Zircon's exception types.
import type { Exception } from '../streams/exception.ts';
import { hex32, hexReason } from './hex.ts';

/** `ZX_EXCP_*` from `zircon/syscalls/exception.h`, with Breakpad's names. */
const EXCEPTIONS: ReadonlyMap<number, string> = new Map([
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
  const name = EXCEPTIONS.get(exception.code);
  return name === undefined ? hexReason(exception) : `${name} / ${hex32(exception.flags)}`;
}
