// Names the reason of a crash on any operating system, in the wording of common crash tools.
import type { Exception } from '../streams/exception.ts';
import type { OsName, SystemInfo } from '../streams/system-info.ts';
import { hexReason } from './hex.ts';
import { nameLinuxReason } from './linux.ts';
import { nameMacosReason } from './macos/macos.ts';
import { nameFuchsiaReason, namePs3Reason, nameSolarisReason } from './other-systems.ts';
import { findWindowsAddress, nameWindowsError, nameWindowsReason } from './windows/windows.ts';

export type CrashReason = {
  /** `SIGSEGV / SEGV_MAPERR`, `EXCEPTION_ACCESS_VIOLATION_READ`. One line of ASCII, never empty. */
  readonly type: string;
  /** The accessed memory address if known, otherwise the address of the instruction. */
  readonly address: bigint;
};

/** Names the meaning of an exception's codes on one operating system. */
type NameReason = (exception: Exception, system: SystemInfo) => string;

const NAMERS: Readonly<Record<OsName, NameReason>> = {
  windows: nameWindowsReason,
  macos: nameMacosReason,
  ios: nameMacosReason,
  linux: nameLinuxReason,
  android: nameLinuxReason,
  fuchsia: nameFuchsiaReason,
  solaris: nameSolarisReason,
  ps3: namePs3Reason,
  nacl: hexReason,
  unknown: hexReason,
};

/**
 * Returns the reason and the address of a crash. Never throws. `system` is undefined if the dump has no system
 * information.
 *
 * Names and their format, `A / B`, are those of rust-minidump. Codes that it does not know have Breakpad's name, or else
 * the name in the headers of the operating system. Codes without a name are printed as hex, like Breakpad and without
 * rust-minidump's prefix `unknown`.
 */
export function explainCrash(exception: Exception, system: SystemInfo | undefined): CrashReason {
  if (system === undefined) return { type: hexReason(exception), address: exception.address };
  const address = system.os === 'windows' ? findWindowsAddress(exception) : exception.address;
  return { type: NAMERS[system.os](exception, system), address: narrow(address, system) };
}

/**
 * Dumps of 32-bit programs contain sign-extended addresses: 0xf0e0d0c0 becomes 0xfffffffff0e0d0c0. Like Breakpad and
 * rust-minidump, this drops the upper half.
 */
function narrow(address: bigint, { cpu }: SystemInfo): bigint {
  return cpu === 'x86' || cpu === 'arm' ? BigInt.asUintN(32, address) : address;
}

/** Names a value of GetLastError: `ERROR_SUCCESS`, `WSAECONNRESET`; `0x…` hex for a value without a name. */
export function nameWin32Error(code: number): string {
  return nameWindowsError(code);
}
