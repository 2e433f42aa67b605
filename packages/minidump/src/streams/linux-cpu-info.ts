// LinuxCpuInfoStream: the text of /proc/cpuinfo.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readPairs } from './linux-text.ts';

/** `['microcode', '0x2b']`; the keys come again for each CPU. */
export const LINUX_CPU_INFO: StreamKind<KeyValue[]> = {
  type: 0x47670003,
  name: 'LinuxCpuInfoStream',
  read: (input) => readPairs(input, ':'),
};
