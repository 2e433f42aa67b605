// HandleDataStream: the open handles of a Windows process.
import type { Cursor } from '../bytes.ts';
import type { StreamInput, StreamKind } from '../minidump.ts';
import { readUtf16StringOrWarn } from './strings.ts';
import { readSizedList } from './structures.ts';

export type Handle = {
  readonly handle: bigint;
  /** `File`, `Event`, `Key`; '' if unknown. */
  readonly typeName: string;
  /** `\BaseNamedObjects\Local\…`; '' if it has none. */
  readonly objectName: string;
  readonly attributes: number;
  readonly grantedAccess: number;
  readonly handleCount: number;
  readonly pointerCount: number;
};

/** The size of `MINIDUMP_HANDLE_DESCRIPTOR`. Its second version adds fields that are not needed. */
const MIN_ENTRY_SIZE = 32;

export const HANDLE_DATA: StreamKind<Handle[]> = {
  type: 12,
  name: 'HandleDataStream',
  read: (input) => readSizedList(input, { minEntrySize: MIN_ENTRY_SIZE }, (entry) => readHandle(input, entry)),
};

function readHandle(input: StreamInput, entry: Cursor): Handle {
  const handle = entry.u64();
  const hex = `0x${handle.toString(16)}`;
  return {
    handle,
    typeName: readUtf16StringOrWarn(input, entry.u32(), `the type of handle ${hex}`),
    objectName: readUtf16StringOrWarn(input, entry.u32(), `the name of handle ${hex}`),
    attributes: entry.u32(),
    grantedAccess: entry.u32(),
    handleCount: entry.u32(),
    pointerCount: entry.u32(),
  };
}
