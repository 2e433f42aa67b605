// HandleDataStream: the handles that a Windows process had open.
import type { Cursor } from '../bytes.ts';
import type { StreamInput, StreamKind } from '../minidump.ts';
import { readSizedList } from './list.ts';
import { readUtf16StringOrWarn } from './strings.ts';

export type Handle = {
  readonly handle: bigint;
  /** `File`, `Event`, `Key`; '' when unknown. */
  readonly typeName: string;
  /** `\BaseNamedObjects\Local\…`; '' when it has none. */
  readonly objectName: string;
  readonly attributes: number;
  readonly grantedAccess: number;
  readonly handleCount: number;
  readonly pointerCount: number;
};

/** `MINIDUMP_HANDLE_DESCRIPTOR`; its second version adds fields of which nothing is needed. */
const MIN_ENTRY_SIZE = 32;

export const HANDLE_DATA: StreamKind<Handle[]> = {
  type: 12,
  name: 'HandleDataStream',
  read: (input) => readSizedList(input, { minEntrySize: MIN_ENTRY_SIZE }, (entry) => readHandle(input, entry)),
};

function readHandle(input: StreamInput, entry: Cursor): Handle {
  const handle = entry.u64();
  const what = `of handle 0x${handle.toString(16)}`;
  return {
    handle,
    typeName: readUtf16StringOrWarn(input, entry.u32(), `the type ${what}`),
    objectName: readUtf16StringOrWarn(input, entry.u32(), `the name ${what}`),
    attributes: entry.u32(),
    grantedAccess: entry.u32(),
    handleCount: entry.u32(),
    pointerCount: entry.u32(),
  };
}
