// The streams of Mozilla about macOS: MozMacosCrashInfoStream with the messages that system libraries write to
// `__crash_info` before they stop the program, and MozMacosBootArgsStream.
import type { Bytes } from '../bytes.ts';
import { MinidumpError } from '../error.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { decodeUtf8, readUtf16String } from './strings.ts';
import { readLocation } from './structures.ts';

/** The record of one library. Texts are '' and numbers undefined if the version of the record does not have them. */
type MacCrashInfo = {
  readonly version: number;
  /** The thread that wrote the record, if known. */
  readonly thread: bigint | undefined;
  readonly dialogMode: bigint | undefined;
  readonly abortCause: bigint | undefined;
  readonly modulePath: string;
  /** Why the library stopped the program: `Failed to allocate memory`. */
  readonly message: string;
  readonly signatureString: string;
  readonly backtrace: string;
  readonly message2: string;
};

const MAX_RECORDS = 20;
/** The stream type and the version, with which all records start. */
const MIN_RECORD_SIZE = 16;

export const MAC_CRASH_INFO: StreamKind<MacCrashInfo[]> = {
  type: 0x4d7a0001,
  name: 'MozMacosCrashInfoStream',
  read: (input) => {
    const cursor = input.bytes.cursor();
    // The stream starts with its type.
    cursor.skip(4);
    const count = cursor.u32();
    const fixedSize = cursor.u32();
    if (count > MAX_RECORDS) input.warn(`claims ${count} records, but the format allows only ${MAX_RECORDS}`);
    const locations = Array.from({ length: Math.min(count, MAX_RECORDS) }, () => readLocation(cursor));
    return locations.flatMap((location) => readRecordOrWarn(input, location, fixedSize));
  },
};

function readRecordOrWarn({ dump, warn }: StreamInput, location: Location, fixedSize: number): MacCrashInfo[] {
  const record = dump.copyable(location);
  if (record !== undefined && record.size >= MIN_RECORD_SIZE) return [readRecord(record, fixedSize)];
  warn(`a record of ${location.size} bytes at ${location.rva} cannot be read`);
  return [];
}

/**
 * A record has a part of fixed size, to which later versions add numbers, followed (since version 4) by NUL-terminated
 * texts. The header contains the size of the fixed part, so the texts of future versions are found too.
 */
function readRecord(bytes: Bytes, fixedSize: number): MacCrashInfo {
  const fixed = bytes.window(0, Math.max(MIN_RECORD_SIZE, Math.min(fixedSize, bytes.size)));
  const version = Number(fixed.u64(8));
  const number = (since: number, at: number) => (version >= since && at + 8 <= fixed.size ? fixed.u64(at) : undefined);
  const texts = version >= 4 ? readTexts(bytes.window(fixed.size, bytes.size - fixed.size)) : [];
  const [modulePath = '', message = '', signatureString = '', backtrace = '', message2 = ''] = texts;
  return {
    version,
    thread: number(4, 16),
    dialogMode: number(4, 24),
    abortCause: number(5, 32),
    modulePath,
    message,
    signatureString,
    backtrace,
    message2,
  };
}

const TEXT_COUNT = 5;

function readTexts(bytes: Bytes): string[] {
  const array = bytes.array;
  const texts: string[] = [];
  let at = 0;
  while (texts.length < TEXT_COUNT && at < array.length) {
    const end = array.indexOf(0, at);
    const stop = end === -1 ? array.length : end;
    texts.push(decodeUtf8(bytes.window(at, stop - at)));
    at = stop + 1;
  }
  return texts;
}

// MozMacosBootArgsStream: the boot arguments of the macOS kernel.

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
