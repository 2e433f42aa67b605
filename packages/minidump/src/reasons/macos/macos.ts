// Crash reasons on macOS and iOS: the Mach exception, its code, and the details in further codes.
import type { CpuName } from '../../contexts/cpu.ts';
import type { Exception } from '../../streams/exception.ts';
import type { SystemInfo } from '../../streams/system-info.ts';
import { bits, hex32, hexReason } from '../hex.ts';
import { describeGuard } from './guard.ts';
import { MACH_EXCEPTIONS, MACH_SIGNALS } from './mach-exceptions.ts';
import { describeResource } from './resource.ts';

const EXC_BREAKPOINT = 6;
const EXC_CRASH = 10;
const EXC_RESOURCE = 11;
const EXC_GUARD = 12;

/** Exceptions that Crashpad defines. Their numbers are text: `CPsx` and `CPnx`. */
const CRASHPAD: ReadonlyMap<number, string> = new Map([
  [0x43507378, 'Simulated Exception'],
  [0x43506e78, 'Uncaught NSException'],
]);

const FAMILIES: Readonly<Record<CpuName, 'intel' | 'arm'>> = { x86: 'intel', amd64: 'intel', arm: 'arm', arm64: 'arm' };

/** Returns a reason such as `EXC_BAD_ACCESS / KERN_INVALID_ADDRESS`, `EXC_CRASH / SIGABRT`, `EXC_SYSCALL / 0x0000002a`. */
export function nameMacosReason(exception: Exception, system: SystemInfo): string {
  if (isAbortOnIos(exception, system)) return 'SIGABRT';
  const { code, flags } = exception;
  const type = isCrash(exception) ? EXC_CRASH : code;
  const mach = MACH_EXCEPTIONS[type];
  if (mach === undefined) return CRASHPAD.get(code) ?? hexReason(exception);
  const ofCpu = system.cpu === undefined ? undefined : mach[FAMILIES[system.cpu]];
  const detail = describeCodes(type, exception) ?? mach.codes?.get(flags) ?? ofCpu?.get(flags) ?? hex32(flags);
  return `${mach.name} / ${detail}`;
}

/**
 * On iOS, Crashpad catches abort() as a signal and writes the signal number instead of a Mach exception: SIGABRT is 6,
 * and so is EXC_BREAKPOINT. A signal has no parameters, and no CPU uses the code 0 for a breakpoint.
 */
function isAbortOnIos({ code, flags, parameters }: Exception, { os }: SystemInfo): boolean {
  return os === 'ios' && code === EXC_BREAKPOINT && flags === 0 && parameters.length === 0;
}

/**
 * EXC_CRASH wraps the original exception. For abort() there is none, so Crashpad unwraps it to the exception 0, which
 * Breakpad and rust-minidump print as 0x00000000 / 0x00000000. The first parameter is still EXC_CRASH.
 */
function isCrash({ code, parameters }: Exception): boolean {
  return code === EXC_CRASH || (code === 0 && parameters[0] === BigInt(EXC_CRASH));
}

/**
 * Describes the full 64-bit codes, which Crashpad writes as parameters: exception, code and subcode. If it unwrapped an
 * EXC_CRASH, they are those of the wrapper, whose code has only 20 bits of the original.
 */
function describeCodes(type: number, { parameters }: Exception): string | undefined {
  const [outer, code, subcode = 0n] = parameters;
  if (code === undefined || outer !== BigInt(type)) return undefined;
  if (type === EXC_CRASH) return MACH_SIGNALS[bits(code, 31, 24)];
  if (type === EXC_RESOURCE) return describeResource(code, subcode);
  return type === EXC_GUARD ? describeGuard(code, subcode) : undefined;
}
