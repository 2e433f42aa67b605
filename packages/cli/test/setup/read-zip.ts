// Reads a zip in memory for tests. Shares no code with the writer, so that layout errors are detected.
import assert from 'node:assert/strict';
import { crc32, inflateRawSync } from 'node:zlib';

export type ReadEntry = {
  path: string;
  mode: number;
  content: Buffer;
  data: Buffer;
  method: number;
  streamed: boolean;
};

/**
 * Returns every entry in the order of the central directory. Fails if local and central records, sizes or CRCs differ.
 */
export function readZip(zip: Buffer): ReadEntry[] {
  const { count, start, end } = directoryOf(zip);
  const entries: ReadEntry[] = [];
  let at = start;
  for (let i = 0; i < count; i++) {
    assert.equal(zip.readUInt32LE(at), 0x02014b50, 'central header');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((o) => zip.readUInt16LE(at + o)) as number[];
    const name = zip.subarray(at + 46, at + 46 + nameLength!);
    const extra = zip.subarray(at + 46 + nameLength!, at + 46 + nameLength! + extraLength!);
    const [size, packed, offset] = widened(
      extra,
      [24, 20, 42].map((o) => zip.readUInt32LE(at + o)),
    );
    const record = { name, size: size!, packed: packed!, offset: offset!, crc: zip.readUInt32LE(at + 16) };
    const flags = zip.readUInt16LE(at + 8);
    assert.equal(flags & 0x800, 0x800, 'UTF-8 flag');
    assert.equal(zip.readUInt32LE(at + 12), 0x0021_0000, 'fixed time');
    entries.push({
      path: name.toString('utf8'),
      mode: zip.readUInt16LE(at + 40),
      method: zip.readUInt16LE(at + 10),
      streamed: (flags & 8) !== 0,
      ...contentOf(zip, record),
    });
    at += 46 + nameLength! + extraLength! + commentLength!;
  }
  assert.equal(at, end, 'end of the directory');
  return entries;
}

function directoryOf(zip: Buffer): { count: number; start: number; end: number } {
  const at = zip.length - 22;
  assert.equal(zip.readUInt32LE(at), 0x06054b50, 'end of central directory');
  const end = { count: zip.readUInt16LE(at + 10), size: zip.readUInt32LE(at + 12), start: zip.readUInt32LE(at + 16) };
  if (end.count !== 0xffff && end.start !== 0xffffffff) return { ...end, end: end.start + end.size };
  assert.equal(zip.readUInt32LE(at - 20), 0x07064b50, 'zip64 locator');
  const far = Number(zip.readBigUInt64LE(at - 12));
  assert.equal(zip.readUInt32LE(far), 0x06064b50, 'zip64 end of central directory');
  const [count, size, start] = [32, 40, 48].map((o) => Number(zip.readBigUInt64LE(far + o))) as number[];
  return { count: count!, start: start!, end: start! + size! };
}

/** Replaces each 0xffffffff by the next value of the zip64 extra field. */
function widened(extra: Buffer, values: number[]): number[] {
  if (extra.length === 0) return values;
  assert.equal(extra.readUInt16LE(0), 1, 'zip64 extra field');
  const wide = Array.from({ length: (extra.length - 4) / 8 }, (_, i) => Number(extra.readBigUInt64LE(4 + 8 * i)));
  const result = values.map((value) => (value === 0xffffffff ? (wide.shift() ?? Number.NaN) : value));
  assert.deepEqual(wide, [], 'no further values in the extra field');
  return result;
}

type Located = { name: Buffer; size: number; packed: number; offset: number; crc: number };

function contentOf(zip: Buffer, { name, size, packed, offset, crc }: Located): { content: Buffer; data: Buffer } {
  assert.equal(zip.readUInt32LE(offset), 0x04034b50, 'local header');
  const nameLength = zip.readUInt16LE(offset + 26);
  assert.deepEqual(zip.subarray(offset + 30, offset + 30 + nameLength), name, 'the same name in both records');
  const start = offset + 30 + nameLength + zip.readUInt16LE(offset + 28);
  const data = zip.subarray(start, start + packed);
  const content = zip.readUInt16LE(offset + 8) === 8 ? inflateRawSync(data) : data;
  assert.equal(content.length, size, `size of ${name}`);
  assert.equal(crc32(content), crc, `CRC of ${name}`);
  if ((zip.readUInt16LE(offset + 6) & 8) !== 0) {
    assert.equal(zip.readUInt32LE(start + packed), 0x08074b50, 'data descriptor');
    assert.equal(zip.readUInt32LE(start + packed + 4), crc, 'CRC in the descriptor');
  }
  return { content, data };
}
