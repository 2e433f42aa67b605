// Reads event files, a group of rows at a time.
import { zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type ParquetQueryFilter, type ParquetScan, parquetScan } from 'hyparquet';
import { readBytes } from '../../../kernel/blobs/blob-bytes.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { COLUMN_NAMES, DEVICE_UID, type EventValues, RECEIVED_AT } from './columns.ts';

/** Times as they are stored; a Date has no microseconds. */
const PARSERS = { timestampFromMicroseconds: Number };
const COMPRESSORS = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

export type StoredFile = { readonly key: string; readonly size: number };

/** Events of a device until a time (microseconds since 1970). */
export type DeviceEvents = { readonly deviceUid: string; readonly until: number };

/** Whether the file has any of these events. Reads only the groups that can have them. */
export async function hasEventsOf(blobs: BlobStore, file: StoredFile, devices: readonly DeviceEvents[]) {
  const uids = devices.map(({ deviceUid }) => deviceUid);
  const isSelected = selectionOf(devices);
  const scan = await openScan(blobs, file, { device_uid: { $in: uids } });
  for (const { rowStart, rowEnd } of scan.ranges) {
    const [deviceUids = [], times = []] = await Promise.all(
      [DEVICE_UID, RECEIVED_AT].map((index) => readColumn(scan, index, rowStart, rowEnd)),
    );
    if (deviceUids.some((uid, row) => isSelected(uid, times[row]!))) return true;
  }
  return false;
}

/** Yields the other events of the file, in order. */
export async function* readEventsWithout(
  blobs: BlobStore,
  file: StoredFile,
  devices: readonly DeviceEvents[],
): AsyncGenerator<EventValues> {
  const isSelected = selectionOf(devices);
  const scan = await openScan(blobs, file);
  for (const { rowStart, rowEnd } of scan.ranges) {
    const columns: EventValues[] = [];
    for (const index of COLUMN_NAMES.keys()) columns.push(await readColumn(scan, index, rowStart, rowEnd));
    for (let row = 0; row < rowEnd - rowStart; row += 1) {
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

function openScan(blobs: BlobStore, file: StoredFile, pruningFilter?: ParquetQueryFilter): Promise<ParquetScan> {
  return parquetScan({
    file: asBuffer(blobs, file),
    parsers: PARSERS,
    compressors: COMPRESSORS,
    useBloomFilters: pruningFilter !== undefined,
    ...(pruningFilter && { pruningFilter }),
  });
}

async function readColumn(scan: ParquetScan, index: number, rowStart: number, rowEnd: number): Promise<EventValues> {
  const values = await scan.readColumn({ column: COLUMN_NAMES[index]!, rowStart, rowEnd });
  return Array.from(values as ArrayLike<EventValues[number] | undefined>, (value) => value ?? null);
}

function asBuffer(blobs: BlobStore, { key, size }: StoredFile): AsyncBuffer {
  return {
    byteLength: size,
    slice: async (start, end = size) => Uint8Array.from(await readBytes(blobs, key, start, Math.min(end, size))).buffer,
  };
}
