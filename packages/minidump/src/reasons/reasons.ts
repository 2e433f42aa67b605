// Why a process crashed, in the words of the field’s tools: the front door of all systems’ codes.
import type { Exception } from '../streams/exception.ts';
import type { OsName, SystemInfo } from '../streams/system-info.ts';
import { nameFuchsiaReason } from './fuchsia.ts';
import { hexReason } from './hex.ts';
import { nameLinuxReason } from './linux/linux.ts';
import { nameMacosReason } from './macos/macos.ts';
import { namePs3Reason } from './ps3.ts';
import { nameSolarisReason } from './solaris.ts';
import { findWindowsAddress, nameWindowsError, nameWindowsReason } from './windows/windows.ts';

export type CrashReason = {
  /** `SIGSEGV / SEGV_MAPERR`, `EXCEPTION_ACCESS_VIOLATION_READ`; never empty, ASCII on one line. */
  readonly type: string;
  /** What the crash was about: the memory that was touched where that is known, else the instruction. */
  readonly address: bigint;
};

/** Names what an exception’s codes mean on one system. */
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
 * The reason and the address of a crash.
 *
 * The words and their form, `A / B`, are rust-minidump’s. What only Breakpad names is named in Breakpad’s words; what
 * neither names, and the system’s own headers do, in theirs. A code without any name is hex: Breakpad’s form, without
 * the `unknown` that rust-minidump puts before it. Never throws. `system` is undefined for a dump that does not say
 * where it is from.
 */
export function explainCrash(exception: Exception, system: SystemInfo | undefined): CrashReason {
  if (system === undefined) return { type: hexReason(exception), address: exception.address };
  const address = system.os === 'windows' ? findWindowsAddress(exception) : exception.address;
  return { type: NAMERS[system.os](exception, system), address: narrow(address, system) };
}

/**
 * Writers of dumps of 32-bit programs sign-extend addresses: a write to 0xf0e0d0c0 stands as 0xfffffffff0e0d0c0 in the
 * dump. The upper half is dropped, as both references do.
 */
function narrow(address: bigint, { cpu }: SystemInfo): bigint {
  return cpu === 'x86' || cpu === 'arm' ? BigInt.asUintN(32, address) : address;
}

/** What GetLastError would say in a thread: `ERROR_SUCCESS`, `WSAECONNRESET`; `0x…` hex for a number without a name. */
export function nameWin32Error(code: number): string {
  return nameWindowsError(code);
}
