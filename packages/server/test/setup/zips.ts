// Writes valid and malformed zips byte by byte for tests. Shares no code with the reader under test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { openBlobStore } from '../../src/kernel/blobs/open.ts';
import type { BlobSettings, BlobStore } from '../../src/kernel/blobs/store.ts';

/**
 * One entry. Undefined values are derived from `name` and `data`; others are written to the zip even if they are wrong.
 */
export type ZipPiece = {
  name: string | Buffer;
  data?: string | Buffer;
  /** 0 for stored (the default), 8 for deflated. Data of any other method is written uncompressed. */
  method?: number;
  flags?: number;
  /** Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number;
  extra?: Buffer;
  /** The bytes in the zip, instead of `data` stored or deflated. */
  packed?: Buffer;
  /** Whether a data descriptor has the sizes and CRC, and the local header has zeros. */
  descriptor?: boolean;
  /** Whether a Zip64 field has the sizes and the offset. */
  zip64?: boolean;
  /** The values in the directory and the local header. */
  crc?: number;
  size?: number;
  packedSize?: number;
  /** The value in the directory. */
  offset?: number;
  /** Values of the local header that differ from the directory. */
  local?: { name?: string; method?: number; size?: number; flags?: number };
  /** Bytes before this entry that belong to no entry. */
  before?: Buffer;
  /** Whether there is only a record in the directory, without a local header or data; requires `offset`. */
  recordOnly?: boolean;
};

/** The values in the end record of the zip; undefined ones are correct. */
export type ZipEnd = {
  comment?: string;
  zip64?: boolean;
  count?: number;
  directorySize?: number;
  directoryOffset?: number;
  disk?: number;
  /** Whether the directory lists the entries in reverse order. */
  reversed?: boolean;
};

type Fields = readonly (readonly [bytes: 2 | 4 | 8, value: number])[];

/** Packs numbers in little-endian order. */
function pack(fields: Fields): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, bytes);
    }),
  );
}

export function buildZip(pieces: readonly ZipPiece[], end: ZipEnd = {}): Buffer {
  const bodies: Buffer[] = [];
  const records: Buffer[] = [];
  let position = 0;
  for (const piece of pieces) {
    const before = piece.before ?? Buffer.alloc(0);
    const { body, record } = buildPiece(piece, piece.offset ?? position + before.length);
    bodies.push(before, ...(piece.recordOnly ? [] : [body]));
    records.push(record);
    position += before.length + (piece.recordOnly ? 0 : body.length);
  }
  const directory = Buffer.concat(end.reversed ? records.reverse() : records);
  return Buffer.concat([...bodies, directory, buildEnd(pieces.length, position, directory.length, end)]);
}

function buildPiece(piece: ZipPiece, offset: number): { body: Buffer; record: Buffer } {
  const name = Buffer.from(piece.name as string);
  const data = Buffer.from((piece.data ?? '') as string);
  const method = piece.method ?? 0;
  const packed = piece.packed ?? (method === 8 ? deflateRawSync(data) : data);
  const flags = (piece.flags ?? 0x800) | (piece.descriptor ? 8 : 0);
  const crc = piece.crc ?? crc32(data);
  const size = piece.size ?? data.length;
  const packedSize = piece.packedSize ?? packed.length;
  const localSizes: Fields = piece.descriptor
    ? [
        [4, 0],
        [4, 0],
        [4, 0],
      ]
    : [
        [4, crc],
        [4, packedSize],
        [4, piece.local?.size ?? size],
      ];
  const localName = Buffer.from(piece.local?.name ?? name);
  const local = pack([
    [4, 0x04034b50],
    [2, 20],
    [2, piece.local?.flags ?? flags],
    [2, piece.local?.method ?? method],
    [2, 0],
    [2, 0x21],
    ...localSizes,
    [2, localName.length],
    [2, 0],
  ]);
  const descriptor = piece.descriptor
    ? pack([
        [4, 0x08074b50],
        [4, crc],
        [4, packedSize],
        [4, size],
      ])
    : Buffer.alloc(0);
  const zip64 = piece.zip64
    ? pack([
        [2, 1],
        [2, 24],
        [8, size],
        [8, packedSize],
        [8, offset],
      ])
    : Buffer.alloc(0);
  const extra = Buffer.concat([zip64, piece.extra ?? Buffer.alloc(0)]);
  const full = 0xffffffff;
  const record = pack([
    [4, 0x02014b50],
    [2, (3 << 8) | 20],
    [2, 20],
    [2, flags],
    [2, method],
    [2, 0],
    [2, 0x21],
    [4, crc],
    [4, piece.zip64 ? full : packedSize],
    [4, piece.zip64 ? full : size],
    [2, name.length],
    [2, extra.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [2, 0],
    [2, piece.mode ?? 0o100644],
    [4, piece.zip64 ? full : offset],
  ]);
  return { body: Buffer.concat([local, localName, packed, descriptor]), record: Buffer.concat([record, name, extra]) };
}

function buildEnd(entries: number, start: number, length: number, end: ZipEnd): Buffer {
  const comment = Buffer.from(end.comment ?? '');
  const count = end.count ?? entries;
  const size = end.directorySize ?? length;
  const offset = end.directoryOffset ?? start;
  const disk = end.disk ?? 0;
  const last = (recordCount: number, recordSize: number, recordOffset: number) =>
    Buffer.concat([
      pack([
        [4, 0x06054b50],
        [2, disk],
        [2, disk],
        [2, recordCount],
        [2, recordCount],
        [4, recordSize],
        [4, recordOffset],
        [2, comment.length],
      ]),
      comment,
    ]);
  if (!end.zip64) return last(count, size, offset);
  return Buffer.concat([
    pack([
      [4, 0x06064b50],
      [8, 44],
      [2, 45],
      [2, 45],
      [4, disk],
      [4, disk],
      [8, count],
      [8, count],
      [8, size],
      [8, offset],
    ]),
    pack([
      [4, 0x07064b50],
      [4, 0],
      [8, start + length],
      [4, 1],
    ]),
    last(0xffff, 0xffffffff, 0xffffffff),
  ]);
}

/**
 * Entries as ordinary tools write them: three files and a folder, with and without compression and a data descriptor.
 */
export function ordinaryPieces(): ZipPiece[] {
  return [
    { name: 'game.exe', data: 'MZ'.repeat(400), method: 8, mode: 0o100755 },
    { name: 'data/', mode: 0o040755 },
    { name: 'data/map.bin', data: Buffer.from(Array.from({ length: 500 }, (_, index) => (index * 7) % 251)) },
    { name: 'data/größe.txt', data: 'size matters not', method: 8, descriptor: true },
  ];
}

export type StoredZip = {
  settings: BlobSettings;
  store: BlobStore;
  key: string;
  size: number;
  remove(): Promise<void>;
};

/** Stores `bytes` as one blob in a new folder. */
export async function storeZip(...bytes: readonly Buffer[]): Promise<StoredZip> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-zip-'));
  const settings: BlobSettings = { kind: 'files', folder };
  const store = openBlobStore(settings);
  const key = 'files/test.zip';
  const upload = await store.append(await store.begin(key), iterate(bytes));
  await store.complete(upload);
  return { settings, store, key, size: upload.size, remove: () => rm(folder, { recursive: true }) };
}

async function* iterate(buffers: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* buffers;
}
