// MozMacosBootArgsStream: the arguments that the macOS kernel was started with.
import { MinidumpError } from '../error.ts';
import type { StreamKind } from '../minidump.ts';
import { readUtf16String } from './strings.ts';

/** `-v debug=0x14e`; mostly ''. */
export const MAC_BOOT_ARGS: StreamKind<string> = {
  type: 0x4d7a0002,
  name: 'MozMacosBootArgsStream',
  read: ({ bytes, dump }) => {
    const cursor = bytes.cursor();
    // The stream’s type once more, and no padding after it.
    cursor.skip(4);
    const text = readUtf16String(dump, Number(cursor.u64()));
    if (text === undefined) throw new MinidumpError('truncated', 'the arguments lie outside the file');
    return text;
  },
};
