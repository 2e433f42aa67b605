// Reads event files, a group of rows at a time.
import { zstdDecompressSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { type ParquetQueryFilter, type ParquetScan, parquetScan } from 'hyparquet';
import { readBytes } from '../../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { COLUMN_NAMES, DEVICE_UID, type EventValues, RECEIVED_AT } from './columns.ts';

/** Times as they are stored; a Date has no microseconds. */
const PARSERS = { timestampFromMicroseconds: Number };
/** More than a group of rows has in all its columns. */
const MAX_PAGE_BYTES = 128 * MIB;
const COMPRESSORS = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes, { maxOutputLength: MAX_PAGE_BYTES })),
};

export type StoredFile = { readonly key: string; readonly size: number };

/** Events of a device until a time (microseconds since 1970). */
export type DeviceEvents = { readonly deviceUid: string; readonly until: number };

/** A file that the store returns, but that is not one of ours. */
export class DamagedFileError extends Error {
  override readonly name = 'DamagedFileError';
}

/** Whether the file has any of these events. Reads only the groups that can have them. Throws DamagedFileError. */
export async function hasEventsOf(blobs: BlobStore, file: StoredFile, devices: readonly DeviceEvents[]) {
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

/** Yields the other events of the file, in order. Throws DamagedFileError. */
export async function* readEventsWithout(
  blobs: BlobStore,
  file: StoredFile,
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

/** An event file in the store. */
class EventFile {
  readonly #bytes: StoredBytes;
  readonly #scan: ParquetScan;

  private constructor(bytes: StoredBytes, scan: ParquetScan) {
    this.#bytes = bytes;
    this.#scan = scan;
  }

  /** With a filter, groups of rows are left out that can have no rows that match. */
  static async open(blobs: BlobStore, file: StoredFile, pruningFilter?: ParquetQueryFilter): Promise<EventFile> {
    const bytes = new StoredBytes(blobs, file);
    const scan = await bytes.parse(() =>
      parquetScan({
        file: bytes,
        parsers: PARSERS,
        compressors: COMPRESSORS,
        useBloomFilters: pruningFilter !== undefined,
        ...(pruningFilter && { pruningFilter }),
      }),
    );
    return new EventFile(bytes, scan);
  }

  get ranges(): readonly Range[] {
    return this.#scan.ranges;
  }

  readColumn(index: number, { rowStart, rowEnd }: Range): Promise<EventValues> {
    return this.#bytes.parse(async () => {
      const values = await this.#scan.readColumn({ column: COLUMN_NAMES[index]!, rowStart, rowEnd });
      return Array.from(values as ArrayLike<EventValues[number] | undefined>, (value) => value ?? null);
    });
  }
}

/** The bytes of a stored file, which knows whether the store has failed. */
class StoredBytes {
  readonly byteLength: number;
  readonly #blobs: BlobStore;
  readonly #key: string;
  #failure: { readonly error: unknown } | null = null;

  constructor(blobs: BlobStore, { key, size }: StoredFile) {
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

  /** Throws the error of the store if it failed, and DamagedFileError if the bytes cannot be parsed. */
  async parse<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      if (this.#failure !== null) throw this.#failure.error;
      throw new DamagedFileError('The event file is damaged', { cause });
    }
  }
}
