// LinuxMapsStream: the text of /proc/<pid>/maps, the regions of the address space.
import type { StreamKind } from '../minidump.ts';
import { readLines } from './linux-proc.ts';

type LinuxMapping = {
  readonly start: bigint;
  /** The address after the last byte. */
  readonly end: bigint;
  readonly readable: boolean;
  readonly writable: boolean;
  readonly executable: boolean;
  /** Whether other processes see changes. */
  readonly shared: boolean;
  /** The offset in the file at which the mapping starts. */
  readonly offset: bigint;
  /** Major and minor device number: `08:01`. */
  readonly device: string;
  readonly inode: number;
  /** A path, `[stack]`, `[heap]`, or '' for anonymous memory. The path of a deleted file ends in ` (deleted)`. */
  readonly path: string;
};

/** `7f00-7f10 r-xp 00000000 08:01 1234    /usr/lib/libc.so.6`. The path can contain spaces and extends to the line end. */
const LINE =
  /^([0-9a-f]{1,16})-([0-9a-f]{1,16})\s+([r-])([w-])([x-])([ps])\s+([0-9a-f]{1,16})\s+([0-9a-f]+:[0-9a-f]+)\s+(\d{1,15})(?:\s+(.*))?$/i;

/** The mappings. Invalid lines are skipped, with one warning that counts them. */
export const LINUX_MAPS: StreamKind<LinuxMapping[]> = {
  type: 0x47670009,
  name: 'LinuxMapsStream',
  read: (input) => {
    const lines = readLines(input);
    const mappings = lines.flatMap(parseMapping);
    if (mappings.length < lines.length) input.warn(`unreadable lines: ${lines.length - mappings.length}`);
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
