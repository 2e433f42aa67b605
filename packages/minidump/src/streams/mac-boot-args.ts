// MozMacosBootArgsStream: the boot arguments of the macOS kernel.
import { MinidumpError } from '../error.ts';
import type { StreamKind } from '../minidump.ts';
import { readUtf16String } from './strings.ts';

/** The arguments, such as `-v debug=0x14e`; usually ''. */
export const MAC_BOOT_ARGS: StreamKind<string> = {
  type: 0x4d7a0002,
  name: 'MozMacosBootArgsStream',
  read: ({ bytes, dump }) => {
    const cursor = bytes.cursor();
    // The stream starts with its type, without padding.
    cursor.skip(4);
    const text = readUtf16String(dump, Number(cursor.u64()));
    if (text === undefined) throw new MinidumpError('truncated', 'the arguments are outside the file');
    return text;
  },
};
