// Describes the CPU in SystemInfoStream, in the wording of other crash tools.
import type { Bytes } from '../bytes.ts';
import type { CpuName } from '../contexts/cpu.ts';
import { decodeUtf8 } from './strings.ts';

/** The CPU fields of `MINIDUMP_SYSTEM_INFO`. `details` are its last 24 bytes, or the available ones; they depend on the CPU. */
type CpuFields = { readonly level: number; readonly revision: number; readonly details: Bytes };

/** Returns a description such as `GenuineIntel family 6 model 26 stepping 5`; '' if the dump has no details. */
export function describeCpu(cpu: CpuName | undefined, { level, revision, details }: CpuFields): string {
  const family = `family ${level} model ${revision >>> 8} stepping ${revision & 0xff}`;
  if (cpu === 'x86') return `${vendorOf(details)} ${family}`.trimStart();
  // The 64-bit layout has feature bits instead of the vendor.
  if (cpu === 'amd64') return family;
  if (cpu !== 'arm') return '';
  return details.size < 8 ? `ARMv${level}` : describeArm(level, details.u32(0), details.u32(4));
}

function vendorOf(details: Bytes): string {
  return decodeUtf8(details.window(0, Math.min(12, details.size)));
}

/** Vendors by the highest byte of the CPU id. */
const ARM_VENDORS: ReadonlyMap<number, string> = new Map([
  [0x41, 'ARM'],
  [0x51, 'Qualcomm'],
  [0x56, 'Marvell'],
  [0x69, 'Intel/Marvell'],
]);

/** Parts by the CPU id without variant and revision. */
const ARM_PARTS: ReadonlyMap<number, string> = new Map([
  [0x4100c050, 'Cortex-A5'],
  [0x4100c080, 'Cortex-A8'],
  [0x4100c090, 'Cortex-A9'],
  [0x4100c0f0, 'Cortex-A15'],
  [0x4100c140, 'Cortex-R4'],
  [0x4100c150, 'Cortex-R5'],
  [0x4100b360, 'ARM1136'],
  [0x4100b560, 'ARM1156'],
  [0x4100b760, 'ARM1176'],
  [0x4100b020, 'ARM11-MPCore'],
  [0x41009260, 'ARM926'],
  [0x41009460, 'ARM946'],
  [0x41009660, 'ARM966'],
  [0x510006f0, 'Krait'],
  [0x510000f0, 'Scorpion'],
]);

/** `HWCAP_*` of 32-bit ARM Linux, by bit number. */
const ARM_FEATURES: readonly string[] = [
  'swp',
  'half',
  'thumb',
  '26bit',
  'fastmult',
  'fpa',
  'vfpv2',
  'edsp',
  'java',
  'iwmmxt',
  'crunch',
  'thumbee',
  'neon',
  'vfpv3',
  'vfpv3d16',
  'tls',
  'vfpv4',
  'idiva',
  'idivt',
];

/** Returns a description such as `ARMv7 Qualcomm Krait features: swp,half,thumb`. */
function describeArm(level: number, cpuId: number, features: number): string {
  const words = [`ARMv${level}`];
  if (cpuId !== 0) {
    const vendor = cpuId >>> 24;
    const part = (cpuId & 0xff00fff0) >>> 0;
    words.push(ARM_VENDORS.get(vendor) ?? `vendor(0x${vendor.toString(16)})`);
    words.push(ARM_PARTS.get(part) ?? `part(0x${part.toString(16)})`);
  }
  const names = ARM_FEATURES.filter((_, bit) => (features >>> bit) & 1);
  if (names.length > 0) words.push(`features: ${names.join(',')}`);
  return words.join(' ');
}
