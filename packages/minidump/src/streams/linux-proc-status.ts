// LinuxProcStatusStream: the text of /proc/<pid>/status.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readPairs } from './linux-text.ts';

/** Pairs such as `['Pid', '135']` and `['VmPeak', '3408 kB']`. */
export const LINUX_PROC_STATUS: StreamKind<KeyValue[]> = {
  type: 0x47670004,
  name: 'LinuxProcStatusStream',
  read: (input) => readPairs(input, ':'),
};
