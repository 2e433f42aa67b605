// LinuxEnvironmentStream: /proc/<pid>/environ. It can contain secrets, so reports do not include it.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readNulList } from './linux-text.ts';

/** The variables, with unchanged values: spaces and quotes are part of a value. */
export const LINUX_ENVIRONMENT: StreamKind<KeyValue[]> = {
  type: 0x47670007,
  name: 'LinuxEnvironmentStream',
  read: (input) => readNulList(input).flatMap(splitVariable),
};

function splitVariable(text: string): KeyValue[] {
  const at = text.indexOf('=');
  return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
}
