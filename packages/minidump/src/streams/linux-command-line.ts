// LinuxCommandLineStream: /proc/<pid>/cmdline.
import type { StreamKind } from '../minidump.ts';
import { readNulList } from './linux-text.ts';

/** The program name and its arguments. */
export const LINUX_COMMAND_LINE: StreamKind<string[]> = {
  type: 0x47670006,
  name: 'LinuxCommandLineStream',
  read: readNulList,
};
