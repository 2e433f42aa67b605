// LinuxEnvironmentStream: /proc/<pid>/environ. It can hold secrets; nothing of it belongs into a report unasked.
import type { StreamKind } from '../minidump.ts';
import { type KeyValue, readNulList } from './linux-text.ts';

/** Values exactly as they are: blanks and quotes are part of a variable. */
export const LINUX_ENVIRONMENT: StreamKind<KeyValue[]> = {
  type: 0x47670007,
  name: 'LinuxEnvironmentStream',
  read: (input) => readNulList(input).flatMap(splitVariable),
};

function splitVariable(text: string): KeyValue[] {
  const at = text.indexOf('=');
  return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
}
