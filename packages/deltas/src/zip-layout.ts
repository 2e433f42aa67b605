// Where everything is in a zip, and the records of the format (PKWARE APPNOTE 6.3.10, with the section number of each).
// The same entries always give the same bytes.

export const STORED = 0;
export const DEFLATED = 8;

export type EntryRecord = {
  /** UTF-8; folder names end in `/`. */
  name: Buffer;
  method: typeof STORED | typeof DEFLATED;
  crc: number;
  /** Bytes in the archive. */
  packed: number;
  /** Unpacked bytes. */
  size: number;
  /** Unix file type and permissions, as in `st_mode`. */
  mode: number;
  /** Where the local header starts. */
  offset: number;
  /** Whether CRC and sizes are in a descriptor after the data, because they were not known before. */
  streamed: boolean;
  /** Whether the sizes take 64 bits. */
  large: boolean;
};

/** The first value that does not fit a 32-bit field. In such a field, it means "see the Zip64 field". */
export const ZIP64_AT = 0xffff_ffff;
const ENTRIES_ZIP64_AT = 0xffff;
const FLAG_STREAMED = 1 << 3;
const FLAG_UTF8 = 1 << 11;
const VERSION = 20;
const VERSION_ZIP64 = 45;
const MADE_BY_UNIX = 3 << 8;
/** 1 January 1980, 0:00, the earliest DOS time. With real times, two archives of the same folder would differ. */
const DOS_TIME = 0;
const DOS_DATE = (1 << 5) | 1;
const ZIP64_EXTRA = 0x0001;

/** 4.3.7 Local file header, with name and extra field. */
export function localHeader(entry: EntryRecord): Buffer {
  const [crc, packed, size] = entry.streamed ? [0, 0, 0] : [entry.crc, entry.packed, entry.size];
  const extra = entry.large ? zip64Extra([size, packed]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x0403_4b50, 0);
  writeCommon(header, 4, entry);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(entry.large ? ZIP64_AT : packed, 18);
  header.writeUInt32LE(entry.large ? ZIP64_AT : size, 22);
  header.writeUInt16LE(entry.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, entry.name, extra]);
}

/** 4.3.9 Data descriptor, with the usual signature. */
export function dataDescriptor(entry: EntryRecord): Buffer {
  const bytes = Buffer.alloc(entry.large ? 24 : 16);
  bytes.writeUInt32LE(0x0807_4b50, 0);
  bytes.writeUInt32LE(entry.crc, 4);
  if (entry.large) {
    bytes.writeBigUInt64LE(BigInt(entry.packed), 8);
    bytes.writeBigUInt64LE(BigInt(entry.size), 16);
  } else {
    bytes.writeUInt32LE(entry.packed, 8);
    bytes.writeUInt32LE(entry.size, 12);
  }
  return bytes;
}

/** 4.3.12 Central directory header, with name and extra field. */
export function centralHeader(entry: EntryRecord, zip64At = ZIP64_AT): Buffer {
  const far = entry.offset >= zip64At;
  const wide = [...(entry.large ? [entry.size, entry.packed] : []), ...(far ? [entry.offset] : [])];
  const extra = wide.length > 0 ? zip64Extra(wide) : Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x0201_4b50, 0);
  header.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 4);
  writeCommon(header, 6, { ...entry, large: wide.length > 0 });
  header.writeUInt32LE(entry.crc, 16);
  header.writeUInt32LE(entry.large ? ZIP64_AT : entry.packed, 20);
  header.writeUInt32LE(entry.large ? ZIP64_AT : entry.size, 24);
  header.writeUInt16LE(entry.name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  const isFolder = entry.name.at(-1) === 0x2f;
  header.writeUInt32LE(((entry.mode << 16) >>> 0) + (isFolder ? 0x10 : 0), 38);
  header.writeUInt32LE(far ? ZIP64_AT : entry.offset, 42);
  return Buffer.concat([header, entry.name, extra]);
}

/** Version needed, flags, method, time and date: the same five fields in both headers. */
function writeCommon(header: Buffer, at: number, entry: EntryRecord): void {
  header.writeUInt16LE(entry.large ? VERSION_ZIP64 : VERSION, at);
  header.writeUInt16LE(FLAG_UTF8 | (entry.streamed ? FLAG_STREAMED : 0), at + 2);
  header.writeUInt16LE(entry.method, at + 4);
  header.writeUInt16LE(DOS_TIME, at + 6);
  header.writeUInt16LE(DOS_DATE, at + 8);
}

/** 4.5.3 Zip64 extended information: the values that do not fit their field, in the order size, packed, offset. */
function zip64Extra(values: number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(ZIP64_EXTRA, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index);
  return extra;
}

/** 4.3.16 End of central directory, after 4.3.14 and 4.3.15 if a count or position needs more bits. */
export function endRecords(
  directory: { entries: number; size: number; offset: number },
  zip64At: number = ZIP64_AT,
): Buffer {
  const { entries, size, offset } = directory;
  const large = entries >= ENTRIES_ZIP64_AT || size >= zip64At || offset >= zip64At;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(large ? ENTRIES_ZIP64_AT : entries, 8);
  end.writeUInt16LE(large ? ENTRIES_ZIP64_AT : entries, 10);
  end.writeUInt32LE(large ? ZIP64_AT : size, 12);
  end.writeUInt32LE(large ? ZIP64_AT : offset, 16);
  return large ? Buffer.concat([zip64EndRecords(entries, size, offset), end]) : end;
}

function zip64EndRecords(entries: number, size: number, offset: number): Buffer {
  const bytes = Buffer.alloc(56 + 20);
  bytes.writeUInt32LE(0x0606_4b50, 0);
  bytes.writeBigUInt64LE(56n - 12n, 4);
  bytes.writeUInt16LE(MADE_BY_UNIX | VERSION_ZIP64, 12);
  bytes.writeUInt16LE(VERSION_ZIP64, 14);
  bytes.writeBigUInt64LE(BigInt(entries), 24);
  bytes.writeBigUInt64LE(BigInt(entries), 32);
  bytes.writeBigUInt64LE(BigInt(size), 40);
  bytes.writeBigUInt64LE(BigInt(offset), 48);
  bytes.writeUInt32LE(0x0706_4b50, 56);
  bytes.writeBigUInt64LE(BigInt(offset + size), 64);
  bytes.writeUInt32LE(1, 72);
  return bytes;
}

/** An entry whose data is known before the zip is written. */
export type KnownEntry = Omit<EntryRecord, 'offset' | 'streamed' | 'large'>;

export type Layout = {
  readonly records: readonly EntryRecord[];
  /** Where the data of each entry starts. */
  readonly dataOffsets: readonly number[];
  /** The central directory and the end records, which follow the data of the last entry. */
  readonly directory: Buffer;
  /** Bytes of the zip. */
  readonly size: number;
};

/** The layout of a zip of `entries`: each local header (`localHeader`) with its data behind it, then the directory. */
export function layOut(entries: readonly KnownEntry[], zip64At = ZIP64_AT): Layout {
  let at = 0;
  const dataOffsets: number[] = [];
  const records = entries.map((entry): EntryRecord => {
    const large = Math.max(entry.size, entry.packed) >= zip64At;
    const record = { ...entry, offset: at, streamed: false, large };
    dataOffsets.push(at + localHeader(record).length);
    at = dataOffsets.at(-1)! + entry.packed;
    return record;
  });
  const headers = Buffer.concat(records.map((record) => centralHeader(record, zip64At)));
  const end = endRecords({ entries: records.length, size: headers.length, offset: at }, zip64At);
  return { records, dataOffsets, directory: Buffer.concat([headers, end]), size: at + headers.length + end.length };
}
