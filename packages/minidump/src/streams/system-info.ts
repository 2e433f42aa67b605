// SystemInfoStream: the operating system and the CPU.
import type { CpuName } from '../contexts/cpu.ts';
import type { StreamInput, StreamKind } from '../minidump.ts';
import { describeCpu } from './cpu-description.ts';
import { readUtf16StringOrWarn } from './strings.ts';

/** `unknown` is any platform id that the format does not define. */
export type OsName =
  | 'windows'
  | 'macos'
  | 'ios'
  | 'linux'
  | 'android'
  | 'solaris'
  | 'ps3'
  | 'nacl'
  | 'fuchsia'
  | 'unknown';

export type SystemInfo = {
  readonly os: OsName;
  /** The value of `MINIDUMP_OS_PLATFORM` in the dump. */
  readonly platformId: number;
  readonly version: { readonly major: number; readonly minor: number; readonly build: number };
  /** The service pack or, on Linux, the output of `uname`; '' if there is none. */
  readonly servicePack: string;
  /** Undefined for a CPU that the walker does not support. */
  readonly cpu: CpuName | undefined;
  /** The value of `MINIDUMP_PROCESSOR_ARCHITECTURE` in the dump. */
  readonly processorArchitecture: number;
  /** Vendor, family, model and stepping: `GenuineIntel family 6 model 26 stepping 5`; '' if unknown. */
  readonly cpuInfo: string;
  readonly cpuCount: number;
};

const OS_NAMES: ReadonlyMap<number, OsName> = new Map([
  [0, 'windows'],
  [1, 'windows'],
  [2, 'windows'],
  [3, 'windows'],
  [0x8101, 'macos'],
  [0x8102, 'ios'],
  [0x8201, 'linux'],
  [0x8202, 'solaris'],
  [0x8203, 'android'],
  [0x8204, 'ps3'],
  [0x8205, 'nacl'],
  [0x8206, 'fuchsia'],
]);

/** x86 has a second number for programs on 64-bit Windows. arm64 has Microsoft's number, and Breakpad's older one. */
const CPU_NAMES: ReadonlyMap<number, CpuName> = new Map([
  [0, 'x86'],
  [10, 'x86'],
  [9, 'amd64'],
  [5, 'arm'],
  [12, 'arm64'],
  [0x8003, 'arm64'],
]);

export const SYSTEM_INFO: StreamKind<SystemInfo> = {
  type: 7,
  name: 'SystemInfoStream',
  read: readSystemInfo,
};

function readSystemInfo(input: StreamInput): SystemInfo {
  const cursor = input.bytes.cursor();
  const processorArchitecture = cursor.u16();
  const level = cursor.u16();
  const revision = cursor.u16();
  const cpuCount = cursor.u8();
  cursor.skip(1);
  const version = { major: cursor.u32(), minor: cursor.u32(), build: cursor.u32() };
  const platformId = cursor.u32();
  const servicePack = readUtf16StringOrWarn(input, cursor.u32(), 'the name of the service pack').trim();
  cursor.skip(4);
  const cpu = CPU_NAMES.get(processorArchitecture);
  return {
    os: OS_NAMES.get(platformId) ?? 'unknown',
    platformId,
    version,
    servicePack,
    cpu,
    processorArchitecture,
    cpuInfo: describeCpu(cpu, { level, revision, details: cursor.window(Math.min(cursor.left, 24)) }),
    cpuCount,
  };
}
