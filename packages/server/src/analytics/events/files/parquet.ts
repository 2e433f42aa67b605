// Event files as Parquet: their columns, and a writer and a reader that keep only one group of rows in memory.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { type ParquetQueryFilter, type ParquetScan, parquetScan, type SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { readBytes } from '../../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';

/**
 * An event as PostgreSQL exports it, in the order of COLUMNS. Times are in microseconds since 1970, and the properties
 * are a JSON object as text.
 */
export type EventValues = readonly (string | number | boolean | null)[];

type Column = { readonly name: string; readonly element: Partial<SchemaElement>; readonly isRequired?: true };

const STRING = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
const INTEGER = { type: 'INT32' } as const;
/** A time in UTC. Engines that read `isAdjustedToUTC` show it as a timestamp with a time zone. */
const TIME = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
} as const;

/** docs/raw-events.md describes the columns. Add new ones at the end, so that older files can be read with them. */
const COLUMNS: readonly Column[] = [
  { name: 'received_at', element: TIME, isRequired: true },
  // A text, because not all engines read the UUID type of Parquet. A file stores each of its few values once.
  { name: 'build_id', element: STRING, isRequired: true },
  { name: 'event', element: STRING, isRequired: true },
  { name: 'device_uid', element: STRING },
  { name: 'session_id', element: STRING },
  { name: 'event_id', element: STRING },
  { name: 'anonymous', element: { type: 'BOOLEAN' }, isRequired: true },
  { name: 'ms', element: INTEGER },
  { name: 'seconds', element: INTEGER },
  { name: 'client_time', element: TIME },
  { name: 'properties', element: STRING },
];

const COLUMN_NAMES: readonly string[] = COLUMNS.map(({ name }) => name);
export const RECEIVED_AT = 0;
const DEVICE_UID = COLUMN_NAMES.indexOf('device_uid');

const SCHEMA: SchemaElement[] = [
  { name: 'events', num_children: COLUMNS.length },
  ...COLUMNS.map(
    ({ name, element, isRequired }): SchemaElement => ({
      name,
      ...element,
      repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
    }),
  ),
];

/** Engines read the groups of a file in parallel. */
const MAX_GROUP_ROWS = 50_000;
/** The maximum length of the texts in a group, in UTF-16 code units: properties can have several KiB. */
const MAX_GROUP_TEXT = 16 * 1024 * 1024;

/** A writer from which bytes are taken, each once, while it is written to. */
class ChunkWriter extends ByteWriter {
  take(): Uint8Array {
    const bytes = this.getBytes().slice();
    this.index = 0;
    return bytes;
  }
}

export class EventFileWriter {
  readonly #out = new ChunkWriter();
  readonly #parquet = new ParquetWriter({
    writer: this.#out,
    schema: SCHEMA,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'chauffeur',
  });
  #columns = emptyColumns();
  #text = 0;
  /** The number of events that were added. */
  events = 0;

  /** The size of the file so far, without the rows of the current group. */
  get size(): number {
    return this.#out.offset;
  }

  /** Adds an event. Returns bytes of the file when a group is full. */
  add(event: EventValues): Uint8Array | null {
    for (const [index, value] of event.entries()) {
      this.#columns[index]!.push(value);
      if (typeof value === 'string') this.#text += value.length;
    }
    this.events += 1;
    return this.#columns[0]!.length >= MAX_GROUP_ROWS || this.#text >= MAX_GROUP_TEXT ? this.#writeGroup() : null;
  }

  /** Returns the last bytes of the file. */
  finish(): Uint8Array {
    const rest = this.#columns[0]!.length === 0 ? new Uint8Array() : this.#writeGroup();
    this.#parquet.finish();
    return Buffer.concat([rest, this.#out.take()]);
  }

  #writeGroup(): Uint8Array {
    const columnData = COLUMN_NAMES.map((name, index) => ({
      name,
      data: this.#columns[index]!,
      // Finds the events of a device without reading all groups.
      bloomFilter: index === DEVICE_UID,
    }));
    this.#parquet.write({ columnData, rowGroupSize: MAX_GROUP_ROWS });
    this.#columns = emptyColumns();
    this.#text = 0;
    return this.#out.take();
  }
}

function emptyColumns(): (string | number | boolean | null)[][] {
  return COLUMN_NAMES.map(() => []);
}

/** Leaves times as they are stored, because a Date has no microseconds. */
const PARSERS = { timestampFromMicroseconds: Number };
/** A group of rows has less than this in all its columns. */
const MAX_PAGE_BYTES = 128 * MIB;
const COMPRESSORS = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes, { maxOutputLength: MAX_PAGE_BYTES })),
};

export type StoredEventFile = { readonly key: string; readonly size: number };

/** The events of a device until a time, in microseconds since 1970. */
export type DeviceEvents = { readonly deviceUid: string; readonly until: number };

/** The blob store returned a file that we did not write. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
}

/** Whether the file has any of these events. Reads only the groups that can have them. Throws DamagedFileError. */
export async function hasEventsOf(blobs: BlobStore, file: StoredEventFile, devices: readonly DeviceEvents[]) {
  const uids = devices.map(({ deviceUid }) => deviceUid);
  const isSelected = selectionOf(devices);
  const events = await EventFile.open(blobs, file, { device_uid: { $in: uids } });
  for (const range of events.ranges) {
    const columns = [DEVICE_UID, RECEIVED_AT].map((index) => events.readColumn(index, range));
    const [deviceUids = [], times = []] = await Promise.all(columns);
    if (deviceUids.some((uid, row) => isSelected(uid, times[row]!))) return true;
  }
  return false;
}

/** Yields the events of the file that are not among these, in order. Throws DamagedFileError. */
export async function* readEventsWithout(
  blobs: BlobStore,
  file: StoredEventFile,
  devices: readonly DeviceEvents[],
): AsyncGenerator<EventValues> {
  const isSelected = selectionOf(devices);
  const events = await EventFile.open(blobs, file);
  for (const range of events.ranges) {
    const columns: EventValues[] = [];
    for (const index of COLUMN_NAMES.keys()) columns.push(await events.readColumn(index, range));
    for (let row = 0; row < range.rowEnd - range.rowStart; row += 1) {
      const event = columns.map((column) => column[row]!);
      if (!isSelected(event[DEVICE_UID]!, event[RECEIVED_AT]!)) yield event;
    }
  }
}

function selectionOf(
  devices: readonly DeviceEvents[],
): (uid: EventValues[number], time: EventValues[number]) => boolean {
  const until = new Map<EventValues[number], number>(devices.map((device) => [device.deviceUid, device.until]));
  return (uid, time) => uid !== null && (time as number) <= (until.get(uid) ?? -1);
}

type Range = { readonly rowStart: number; readonly rowEnd: number };

/** An event file in the blob store. */
class EventFile {
  readonly #bytes: StoredBytes;
  readonly #reader: ParquetScan;

  private constructor(bytes: StoredBytes, reader: ParquetScan) {
    this.#bytes = bytes;
    this.#reader = reader;
  }

  /** Opens a file. With a filter, it has only the groups of rows that can match. */
  static async open(blobs: BlobStore, file: StoredEventFile, pruningFilter?: ParquetQueryFilter): Promise<EventFile> {
    const bytes = new StoredBytes(blobs, file);
    const reader = await bytes.parse(() =>
      parquetScan({
        file: bytes,
        parsers: PARSERS,
        compressors: COMPRESSORS,
        useBloomFilters: pruningFilter !== undefined,
        ...(pruningFilter && { pruningFilter }),
      }),
    );
    return new EventFile(bytes, reader);
  }

  get ranges(): readonly Range[] {
    return this.#reader.ranges;
  }

  readColumn(index: number, { rowStart, rowEnd }: Range): Promise<EventValues> {
    return this.#bytes.parse(async () => {
      const values = await this.#reader.readColumn({ column: COLUMN_NAMES[index]!, rowStart, rowEnd });
      return Array.from(values as ArrayLike<EventValues[number] | undefined>, (value) => value ?? null);
    });
  }
}

/** The bytes of a file. Remembers whether the blob store has failed, since the parser wraps its errors. */
class StoredBytes {
  readonly byteLength: number;
  readonly #blobs: BlobStore;
  readonly #key: string;
  #failure: { readonly error: unknown } | null = null;

  constructor(blobs: BlobStore, { key, size }: StoredEventFile) {
    this.byteLength = size;
    this.#blobs = blobs;
    this.#key = key;
  }

  async slice(start: number, end = this.byteLength): Promise<ArrayBuffer> {
    try {
      return Uint8Array.from(await readBytes(this.#blobs, this.#key, start, Math.min(end, this.byteLength))).buffer;
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Throws the error of the blob store if it failed, and DamagedFileError if the bytes cannot be parsed. */
  async parse<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (this.#failure !== null) throw this.#failure.error;
      throw new DamagedFileError('The event file is damaged', { cause });
    }
  }
}
