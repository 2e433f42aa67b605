// The streams with files of Linux's /proc, except for its maps: lines, `key: value` pairs, NUL-separated lists, and the
// auxiliary vector.
import type { StreamInput, StreamKind } from '../minidump.ts';
import { SYSTEM_INFO } from './system-info.ts';

/** The two sides of a line, without the spaces and quotes around them. */
type KeyValue = readonly [key: string, value: string];

// Each byte of a stream is only decoded once, so this does not count against the copy limit of the dump.
const UTF_8 = new TextDecoder('utf-8');

/** By default, Linux allows 65,530 mappings per process; all other texts are far shorter. */
const MAX_PARTS = 200_000;

/** Returns the non-empty lines of a text. Invalid UTF-8 becomes U+FFFD. */
export function readLines(input: StreamInput): string[] {
  return splitText(input, /[\n\0]/).filter((line) => line.trim() !== '');
}

/** Returns the lines that have a separator, in order. Keys can be repeated, such as `processor` for each CPU. */
function readPairs(input: StreamInput, separator: ':' | '='): KeyValue[] {
  return readLines(input).flatMap((line) => splitPair(line, separator));
}

/** Returns NUL-separated texts, such as command lines and environments in /proc. */
function readNulList(input: StreamInput): string[] {
  const texts = splitText(input, /\0/);
  // The last NUL ends the list. An empty text before it is an empty argument.
  if (texts.at(-1) === '') texts.pop();
  return texts;
}

/** Limits the number of parts: a malicious text of 16 MB of separators would become 16 million strings. */
function splitText({ bytes, warn }: StreamInput, separator: RegExp): string[] {
  const parts = UTF_8.decode(bytes.array).split(separator, MAX_PARTS + 1);
  if (parts.length <= MAX_PARTS) return parts;
  warn(`only the first ${MAX_PARTS} parts were read`);
  return parts.slice(0, MAX_PARTS);
}

/** Splits at the first separator: `a=b=c` becomes `a` and `b=c`. */
function splitPair(line: string, separator: ':' | '='): KeyValue[] {
  const at = line.indexOf(separator);
  return at === -1 ? [] : [[unquote(line.slice(0, at)), unquote(line.slice(at + 1))]];
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"') ? trimmed.slice(1, -1) : trimmed;
}

// LinuxCpuInfoStream: the text of /proc/cpuinfo.

/** Pairs such as `['microcode', '0x2b']`. The keys are repeated for each CPU. */
export const LINUX_CPU_INFO: StreamKind<KeyValue[]> = {
  type: 0x47670003,
  name: 'LinuxCpuInfoStream',
  read: (input) => readPairs(input, ':'),
};

// LinuxProcStatusStream: the text of /proc/<pid>/status.

/** Pairs such as `['Pid', '135']` and `['VmPeak', '3408 kB']`. */
export const LINUX_PROC_STATUS: StreamKind<KeyValue[]> = {
  type: 0x47670004,
  name: 'LinuxProcStatusStream',
  read: (input) => readPairs(input, ':'),
};

// LinuxLsbReleaseStream: the text of /etc/lsb-release or, if there is none, of /etc/os-release.

/** Pairs such as `['DISTRIB_DESCRIPTION', 'Ubuntu 14.04 LTS']` or, from os-release, `['PRETTY_NAME', …]`. */
export const LINUX_LSB_RELEASE: StreamKind<KeyValue[]> = {
  type: 0x47670005,
  name: 'LinuxLsbReleaseStream',
  read: (input) => readPairs(input, '='),
};

// LinuxCommandLineStream: /proc/<pid>/cmdline.

/** The program name and its arguments. */
export const LINUX_COMMAND_LINE: StreamKind<string[]> = {
  type: 0x47670006,
  name: 'LinuxCommandLineStream',
  read: readNulList,
};

// LinuxEnvironmentStream: /proc/<pid>/environ. It can contain secrets, so reports do not include it.

/** The variables, with unchanged values: spaces and quotes are part of a value. */
export const LINUX_ENVIRONMENT: StreamKind<KeyValue[]> = {
  type: 0x47670007,
  name: 'LinuxEnvironmentStream',
  read: (input) => readNulList(input).flatMap(splitVariable),
};

function splitVariable(text: string): KeyValue[] {
  const at = text.indexOf('=');
  return at === -1 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
}

// MozLinuxLimitsStream: the text of /proc/<pid>/limits.

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
const LIMIT = /^(Max \S+(?: \S+)*?)\s+(\d+|unlimited)\s+(\d+|unlimited)(?:\s+(\S+))?\s*$/;

export const LINUX_PROC_LIMITS: StreamKind<LinuxLimit[]> = {
  type: 0x4d7a0003,
  name: 'MozLinuxLimitsStream',
  read: (input) =>
    readLines(input).flatMap((line) => {
      const [, name, soft, hard, unit] = LIMIT.exec(line) ?? [];
      return name !== undefined && soft !== undefined && hard !== undefined
        ? [{ name, soft, hard, unit: unit ?? '' }]
        : [];
    }),
};

// LinuxAuxvStream: the auxiliary vector, which the kernel passes to a program when it starts.

/** `AT_NULL`: the end of the vector. */
const AUXV_END = 0n;

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
      if (type === AUXV_END) break;
      values.set(Number(type), value);
    }
    return values;
  },
};
