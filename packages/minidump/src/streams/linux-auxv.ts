// LinuxAuxvStream: the auxiliary vector, which the kernel passes to a program when it starts.
import type { StreamKind } from '../minidump.ts';
import { SYSTEM_INFO } from './system-info.ts';

/** `AT_NULL`: the end of the vector. */
const END = 0n;

/** Values by type: 9 (`AT_ENTRY`) is the entry point of the program, 33 (`AT_SYSINFO_EHDR`) the address of the vDSO. */
export const LINUX_AUXV: StreamKind<ReadonlyMap<number, bigint>> = {
  type: 0x47670008,
  name: 'LinuxAuxvStream',
  read: ({ bytes, dump }) => {
    const cpu = dump.stream(SYSTEM_INFO)?.cpu;
    const wordSize = cpu === 'x86' || cpu === 'arm' ? 4 : 8;
    const cursor = bytes.cursor();
    const word = () => (wordSize === 4 ? BigInt(cursor.u32()) : cursor.u64());
    const values = new Map<number, bigint>();
    while (cursor.left >= 2 * wordSize) {
      const type = word();
      const value = word();
      if (type === END) break;
      values.set(Number(type), value);
    }
    return values;
  },
};
