// LinuxMapsStream: the text of /proc/<pid>/maps, the regions of the address space.
import type { StreamKind } from '../minidump.ts';
import { readLines } from './linux-text.ts';

export type LinuxMapping = {
  readonly start: bigint;
  /** One past the last byte. */
  readonly end: bigint;
  readonly readable: boolean;
  readonly writable: boolean;
  readonly executable: boolean;
  /** Whether other processes see what is written. */
  readonly shared: boolean;
  /** Where in the file the mapping begins. */
  readonly offset: bigint;
  /** `08:01` */
  readonly device: string;
  readonly inode: number;
  /** A path, `[stack]`, `[heap]`, or '' for memory of no file. A deleted file’s ends in ` (deleted)`. */
  readonly path: string;
};

/** `7f00-7f10 r-xp 00000000 08:01 1234    /usr/lib/libc.so.6`; the path may hold blanks and goes to the end of the line. */
const LINE =
  /^([0-9a-f]{1,16})-([0-9a-f]{1,16})\s+([r-])([w-])([x-])([ps])\s+([0-9a-f]{1,16})\s+([0-9a-f]+:[0-9a-f]+)\s+(\d{1,15})(?:\s+(.*))?$/i;

/** Lines that are not of the form are left out, with one warning that counts them. */
export const LINUX_MAPS: StreamKind<LinuxMapping[]> = {
  type: 0x47670009,
  name: 'LinuxMapsStream',
  read: (input) => {
    const lines = readLines(input);
    const mappings = lines.flatMap(parseMapping);
    if (mappings.length < lines.length) input.warn(`${lines.length - mappings.length} lines cannot be read`);
    return mappings;
  },
};

function parseMapping(line: string): LinuxMapping[] {
  const fields = LINE.exec(line)?.slice(1);
  if (fields === undefined) return [];
  const [start, end, read, write, execute, sharing, offset, device, inode, path] = fields;
  return [
    {
      start: BigInt(`0x${start}`),
      end: BigInt(`0x${end}`),
      readable: read !== '-',
      writable: write !== '-',
      executable: execute !== '-',
      shared: sharing?.toLowerCase() === 's',
      offset: BigInt(`0x${offset}`),
      device: device ?? '',
      inode: Number(inode),
      path: path ?? '',
    },
  ];
}
