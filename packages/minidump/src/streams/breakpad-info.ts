// BreakpadInfoStream: the thread that wrote the dump, and the thread that requested it.
import type { StreamKind } from '../minidump.ts';

type BreakpadInfo = {
  /** The thread that wrote the dump, which is not interesting itself; undefined if another process wrote it. */
  readonly dumpThreadId: number | undefined;
  /** The thread that crashed or requested the dump. */
  readonly requestingThreadId: number | undefined;
};

const HAS_DUMP_THREAD = 0x1;
const HAS_REQUESTING_THREAD = 0x2;

export const BREAKPAD_INFO: StreamKind<BreakpadInfo> = {
  type: 0x47670001,
  name: 'BreakpadInfoStream',
  read: ({ bytes }) => {
    const validity = bytes.u32(0);
    return {
      dumpThreadId: (validity & HAS_DUMP_THREAD) !== 0 ? bytes.u32(4) : undefined,
      requestingThreadId: (validity & HAS_REQUESTING_THREAD) !== 0 ? bytes.u32(8) : undefined,
    };
  },
};
