// Writes zips byte by byte for tests, good ones and ones that lie. Shares no layout code with what reads them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { openBlobStore } from '../../src/kernel/blobs/open.ts';
import type { BlobSettings } from '../../src/kernel/blobs/settings.ts';
import type { BlobStore } from '../../src/kernel/blobs/store.ts';

/** One entry. What is left out is derived from `name` and `data`; what is given stands in the zip, true or not. */
export type ZipPiece = {
  name: string | Buffer;
  data?: string | Buffer;
  /** 0 stored (the default), 8 deflated; other methods are only claimed. */
  method?: number;
  flags?: number;
  /** Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number;
  extra?: Buffer;
  /** The bytes in the zip, in place of `data` stored or deflated. */
  packed?: Buffer;
  /** Sizes and CRC stand behind the data, and zeros in the local header. */
  descriptor?: boolean;
  /** Sizes and offset stand in a zip64 field. */
  zip64?: boolean;
  /** What the directory and the local header claim. */
  crc?: number;
  size?: number;
  packedSize?: number;
  /** What only the directory claims. */
  offset?: number;
  /** What only the local header claims. */
  local?: { name?: string; method?: number; size?: number; flags?: number };
  /** Bytes that belong to no entry, in front of this one. */
  before?: Buffer;
  /** Only a record in the directory, with no bytes of its own; wants `offset`. */
  recordOnly?: boolean;
};

/** What the end of the zip claims; the truth where left out. */
export type ZipEnd = {
  comment?: string;
  zip64?: boolean;
  count?: number;
  directorySize?: number;
  directoryOffset?: number;
  disk?: number;
  /** The directory lists the last entry of the file first. */
  reversed?: boolean;
};

type Fields = readonly (readonly [bytes: 2 | 4 | 8, value: number])[];

/** Numbers, little-endian. */
function pack(fields: Fields): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, bytes);
    }),
  );
}

/** A whole zip. */
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
  const told: Fields = piece.descriptor
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
    ...told,
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

/** Two files, a folder and, deflated behind a data descriptor, a third: what ordinary tools make. */
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

/** A blob store in a fresh folder that holds `bytes`. */
export async function storeZip(...bytes: readonly Buffer[]): Promise<StoredZip> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-zip-'));
  const settings: BlobSettings = { kind: 'files', folder };
  const store = openBlobStore(settings);
  const key = 'files/test.zip';
  const upload = await store.append(await store.begin(key), give(bytes));
  await store.complete(upload);
  return { settings, store, key, size: upload.size, remove: () => rm(folder, { recursive: true }) };
}

async function* give(buffers: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* buffers;
}
