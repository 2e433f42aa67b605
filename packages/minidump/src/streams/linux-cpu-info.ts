// LinuxCpuInfoStream: the text of /proc/cpuinfo.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readPairs } from './linux-text.ts';

/** Pairs such as `['microcode', '0x2b']`. The keys are repeated for each CPU. */
export const LINUX_CPU_INFO: StreamKind<KeyValue[]> = {
  type: 0x47670003,
  name: 'LinuxCpuInfoStream',
  read: (input) => readPairs(input, ':'),
};
