// The layout of a patch pack: an index with the difference of the manifests, then the segments.
import { ByteReader, ByteWriter, compress, decompress } from './bytes.ts';
import { DeltaError } from './error.ts';
import { MANIFEST_LIMITS } from './manifest.ts';
import type { Op } from './matcher.ts';
import { free } from './memory.ts';

const MAGIC = Buffer.from('CHMP\x01', 'latin1');
/** The magic and the length of the index. */
export const PACK_HEAD_BYTES = MAGIC.length + 4;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Of the streams of a segment together, unpacked, and of each of them packed. */
const MAX_SEGMENT_BYTES = 32 * 1024 * 1024;
const MAX_SEGMENTS = 100_000;
const COMPRESSION_LEVEL = 19;

/**
 * What makes a part of the new content: the kinds and lengths of the operations, the distances of the places that they refer
 * to, the bytes to add, and the new bytes.
 */
const STREAMS = ['operations', 'distances', 'added', 'literals'] as const;
export type Stream = (typeof STREAMS)[number];

type Lengths = { readonly unpacked: number; readonly packed: number };
/** Where a segment is in the pack, and how many bytes of new content it makes. */
export type Segment = {
  readonly offset: number;
  readonly newBytes: number;
  readonly streams: Readonly<Record<Stream, Lengths>>;
};

export type PackIndex = {
  /** The difference of the manifests, without the hashes of new content. */
  readonly difference: Buffer;
  readonly segments: readonly Segment[];
};

/** The length of the index, which follows these `PACK_HEAD_BYTES`. Throws DeltaError if they don't begin a pack. */
export function readPackHead(head: Uint8Array): number {
  const bytes = Buffer.from(head);
  if (bytes.length < PACK_HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new DeltaError('Not a patch pack of version 1.');
  const length = bytes.readUInt32LE(MAGIC.length);
  if (length > MAX_INDEX_BYTES) throw new DeltaError('The index of the patch pack is too large.');
  return length;
}

/** Throws DeltaError if the index is invalid; it may be hostile. */
export function readPackIndex(index: Uint8Array): PackIndex {
  const reader = new ByteReader(index);
  const difference = reader.bytes(reader.varint(index.length));
  let offset = PACK_HEAD_BYTES + index.length;
  const segments: Segment[] = [];
  for (let left = reader.varint(MAX_SEGMENTS); left > 0; left -= 1) {
    const newBytes = reader.varint(MANIFEST_LIMITS.fileBytes);
    const lengths = () => ({ unpacked: reader.varint(MAX_SEGMENT_BYTES), packed: reader.varint(MAX_SEGMENT_BYTES) });
    const streams = { operations: lengths(), distances: lengths(), added: lengths(), literals: lengths() };
    const unpacked = STREAMS.reduce((sum, name) => sum + streams[name].unpacked, 0);
    if (unpacked > MAX_SEGMENT_BYTES) throw new DeltaError('A segment of the patch pack is too large.');
    segments.push({ offset, newBytes, streams });
    offset += packedBytes({ streams });
  }
  reader.end();
  return { difference, segments };
}

/** Bytes of a segment in the pack. */
export function packedBytes({ streams }: Pick<Segment, 'streams'>): number {
  return STREAMS.reduce((sum, name) => sum + streams[name].packed, 0);
}

export type SegmentLengths = Omit<Segment, 'offset'>;

export function writePackIndex(difference: Buffer, segments: readonly SegmentLengths[]): Buffer {
  const writer = new ByteWriter();
  writer.varint(difference.length);
  writer.bytes(difference);
  writer.varint(segments.length);
  for (const { newBytes, streams } of segments) {
    writer.varint(newBytes);
    for (const name of STREAMS) {
      writer.varint(streams[name].unpacked);
      writer.varint(streams[name].packed);
    }
  }
  const index = writer.finish();
  const head = Buffer.alloc(PACK_HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt32LE(index.length, MAGIC.length);
  return Buffer.concat([head, index]);
}

/** Kinds of operations in the first stream. The others have a distance in the second. */
const KINDS = ['literal', 'copy', 'add', 'copy elsewhere', 'add elsewhere'] as const;

/** Collects the operations of a segment. */
export class SegmentWriter {
  readonly #writers: Record<Stream, ByteWriter> = {
    operations: new ByteWriter(),
    distances: new ByteWriter(),
    added: new ByteWriter(),
    literals: new ByteWriter(),
  };
  #newBytes = 0;

  get newBytes(): number {
    return this.#newBytes;
  }

  /** Bytes that the client has to hold. */
  get heldBytes(): number {
    return STREAMS.reduce((sum, name) => sum + this.#writers[name].length, 0);
  }

  /** Adds an operation with its bytes, and returns the address that the next one is expected to have. */
  add({ kind, length, address }: Op, bytes: Uint8Array, expected: number): number {
    this.#newBytes += length;
    const isElsewhere = kind !== 'literal' && address !== expected;
    const number = KINDS.indexOf(isElsewhere ? `${kind} elsewhere` : kind);
    this.#writers.operations.varint(number + KINDS.length * (length - 1));
    if (isElsewhere) this.#writers.distances.signed(address - expected);
    if (kind === 'add') this.#writers.added.bytes(bytes);
    if (kind === 'literal') this.#writers.literals.bytes(bytes);
    return (kind === 'literal' ? expected : address) + length;
  }

  finish(): SegmentLengths & { readonly bytes: Buffer } {
    const packed = STREAMS.map((name) => {
      const raw = this.#writers[name].finish();
      const bytes = raw.length === 0 ? Buffer.alloc(0) : compress(raw, COMPRESSION_LEVEL);
      const lengths = { unpacked: raw.length, packed: bytes.length };
      this.#writers[name].close();
      return { name, bytes, lengths };
    });
    const streams = Object.fromEntries(packed.map(({ name, lengths }) => [name, lengths])) as SegmentLengths['streams'];
    return { newBytes: this.#newBytes, streams, bytes: Buffer.concat(packed.map(({ bytes }) => bytes)) };
  }
}

/** Reads the operations of a segment. Every method throws DeltaError for invalid bytes. */
export class SegmentReader {
  readonly #readers: Record<Stream, ByteReader>;
  readonly #unpacked: Buffer[] = [];

  /** `bytes` are those of the segment in the pack. */
  constructor({ streams }: Segment, bytes: Buffer) {
    let at = 0;
    const open = (name: Stream) => {
      const { unpacked, packed } = streams[name];
      at += packed;
      if (unpacked === 0) return new ByteReader(Buffer.alloc(0));
      const stream = decompress(bytes.subarray(at - packed, at), unpacked);
      this.#unpacked.push(stream);
      return new ByteReader(stream);
    };
    this.#readers = {
      operations: open('operations'),
      distances: open('distances'),
      added: open('added'),
      literals: open('literals'),
    };
  }

  /** The next operation, which has at most `limit` bytes, with its bytes. */
  next(expected: number, limit: number): { op: Op; bytes: Buffer } {
    const number = this.#readers.operations.varint();
    const [kind, length] = [KINDS[number % KINDS.length]!, Math.floor(number / KINDS.length) + 1];
    if (length > limit) throw new DeltaError('A patch is longer than its file.');
    if (kind === 'literal') return { op: { kind, length, address: 0 }, bytes: this.#readers.literals.bytes(length) };
    const isElsewhere = kind.endsWith('elsewhere');
    const address = isElsewhere ? expected + this.#readers.distances.signed() : expected;
    const isCopy = kind.startsWith('copy');
    const bytes = isCopy ? Buffer.alloc(0) : this.#readers.added.bytes(length);
    return { op: { kind: isCopy ? 'copy' : 'add', length, address }, bytes };
  }

  /** Throws DeltaError if anything is left. */
  end(): void {
    for (const name of STREAMS) this.#readers[name].end();
  }

  /** Gives its memory back. The bytes of its operations aren't valid afterwards. */
  close(): void {
    for (const stream of this.#unpacked) free(stream);
  }
}
