// LinuxLsbReleaseStream: the text of /etc/lsb-release or, if there is none, of /etc/os-release.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readPairs } from './linux-text.ts';

/** Pairs such as `['DISTRIB_DESCRIPTION', 'Ubuntu 14.04 LTS']` or, from os-release, `['PRETTY_NAME', …]`. */
export const LINUX_LSB_RELEASE: StreamKind<KeyValue[]> = {
  type: 0x47670005,
  name: 'LinuxLsbReleaseStream',
  read: (input) => readPairs(input, '='),
};
