// LinuxLsbReleaseStream: the text of /etc/lsb-release, or of /etc/os-release where that is all there is.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readPairs } from './linux-text.ts';

/** `['DISTRIB_DESCRIPTION', 'Ubuntu 14.04 LTS']`; from os-release `['PRETTY_NAME', …]`. */
export const LINUX_LSB_RELEASE: StreamKind<KeyValue[]> = {
  type: 0x47670005,
  name: 'LinuxLsbReleaseStream',
  read: (input) => readPairs(input, '='),
};
