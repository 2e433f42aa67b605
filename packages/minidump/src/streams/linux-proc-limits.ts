// MozLinuxLimitsStream: the text of /proc/<pid>/limits.
import type { StreamKind } from '../minidump.ts';
import { readLines } from './linux-text.ts';

/** A limit. `soft` and `hard` are numbers as text, or `unlimited`. */
type LinuxLimit = {
  /** `Max open files`. */
  readonly name: string;
  readonly soft: string;
  readonly hard: string;
  /** `files`, `bytes`; '' if there is none, as for `Max nice priority`. */
  readonly unit: string;
};

/** Columns are padded with spaces; names contain single spaces. The first line is the table header. */
const LINE = /^(Max \S+(?: \S+)*?)\s+(\d+|unlimited)\s+(\d+|unlimited)(?:\s+(\S+))?\s*$/;

export const LINUX_PROC_LIMITS: StreamKind<LinuxLimit[]> = {
  type: 0x4d7a0003,
  name: 'MozLinuxLimitsStream',
  read: (input) =>
    readLines(input).flatMap((line) => {
      const [, name, soft, hard, unit] = LINE.exec(line) ?? [];
      return name !== undefined && soft !== undefined && hard !== undefined
        ? [{ name, soft, hard, unit: unit ?? '' }]
        : [];
    }),
};
