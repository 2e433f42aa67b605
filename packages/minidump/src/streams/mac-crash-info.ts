// MozMacosCrashInfoStream: what system libraries on macOS left in their `__crash_info` before they gave up.
import type { Bytes } from '../bytes.ts';
import type { Location, StreamInput, StreamKind } from '../minidump.ts';
import { readLocation } from './locations.ts';
import { decodeUtf8 } from './strings.ts';

/** One library’s. Texts are '' and numbers undefined where its version of the record has none. */
export type MacCrashInfo = {
  readonly version: number;
  /** The thread that wrote it, where it says so. */
  readonly thread: bigint | undefined;
  readonly dialogMode: bigint | undefined;
  readonly abortCause: bigint | undefined;
  readonly modulePath: string;
  /** Why it gave up: `Failed to allocate memory`. */
  readonly message: string;
  readonly signatureString: string;
  readonly backtrace: string;
  readonly message2: string;
};

const MAX_RECORDS = 20;
/** The stream’s type and the version, which all records begin with. */
const MIN_RECORD_SIZE = 16;

export const MAC_CRASH_INFO: StreamKind<MacCrashInfo[]> = {
  type: 0x4d7a0001,
  name: 'MozMacosCrashInfoStream',
  read: (input) => {
    const cursor = input.bytes.cursor();
    // The stream’s type once more.
    cursor.skip(4);
    const count = cursor.u32();
    const fixedSize = cursor.u32();
    if (count > MAX_RECORDS) input.warn(`claims ${count} records; the format has room for ${MAX_RECORDS}`);
    const places = Array.from({ length: Math.min(count, MAX_RECORDS) }, () => readLocation(cursor));
    return places.flatMap((place) => readRecordOrWarn(input, place, fixedSize));
  },
};

function readRecordOrWarn({ dump, warn }: StreamInput, place: Location, fixedSize: number): MacCrashInfo[] {
  const record = dump.copyable(place);
  if (record !== undefined && record.size >= MIN_RECORD_SIZE) return [readRecord(record, fixedSize)];
  warn(`a record of ${place.size} bytes at ${place.rva} cannot be read`);
  return [];
}

/**
 * A record is a part of fixed size, whose later versions add numbers at its end, and then texts, each ended by a NUL. The header gives
 * the size of the fixed part, so that the texts of versions newer than ours are found too. Texts came with version 4.
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
