// Reads programs of Windows and macOS as their loaders do: what belongs where in memory, and the id that the linker wrote.
// It shares no code with the converter of debug information, so that tests find errors.
import assert from 'node:assert/strict';

/** A part of the file and its address. */
type Segment = {
  readonly address: bigint;
  readonly offset: number;
  readonly fileSize: number;
  readonly memorySize: number;
};

export type ProgramImage = {
  readonly base: bigint;
  readonly size: number;
  readonly entry: bigint;
  readonly segments: readonly Segment[];
  /** 32 hexadecimal digits in upper case; '' for a PE file without debug information. */
  readonly guid: string;
  readonly age: number;
  /** Seconds since 1970; 0 on macOS. */
  readonly timestamp: number;
};

/** Reads a 64-bit PE file with the address of its PDB. */
export function readPeImage(bytes: Buffer): ProgramImage {
  const header = bytes.readUInt32LE(0x3c);
  assert.equal(bytes.toString('latin1', header, header + 4), 'PE\0\0');
  const optional = header + 24;
  assert.equal(bytes.readUInt16LE(optional), 0x20b);
  const base = bytes.readBigUInt64LE(optional + 24);
  const sections = optional + bytes.readUInt16LE(header + 20);
  const segments = Array.from({ length: bytes.readUInt16LE(header + 6) }, (_, index): Segment => {
    const at = sections + 40 * index;
    const [memorySize, address, fileSize, offset] = [8, 12, 16, 20].map((field) => bytes.readUInt32LE(at + field));
    return { address: base + BigInt(address!), offset: offset!, fileSize: fileSize!, memorySize: memorySize! };
  });
  const offsetOf = (address: number) => {
    const within = segments.find((segment) => {
      const distance = Number(base + BigInt(address) - segment.address);
      return distance >= 0 && distance < segment.fileSize;
    });
    assert.ok(within !== undefined, `nothing is at ${address}`);
    return within.offset + Number(base + BigInt(address) - within.address);
  };
  // The seventh data directory is of debug information.
  const debug = bytes.readUInt32LE(optional + 112 + 6 * 8);
  const id = debug === 0 ? { guid: '', age: 0 } : readCodeView(bytes, offsetOf(debug));
  return {
    base,
    size: bytes.readUInt32LE(optional + 56),
    entry: base + BigInt(bytes.readUInt32LE(optional + 16)),
    segments,
    ...id,
    timestamp: bytes.readUInt32LE(header + 8),
  };
}

/** Reads the record that the first entry of the debug directory points to. */
function readCodeView(bytes: Buffer, directory: number): Pick<ProgramImage, 'guid' | 'age'> {
  assert.equal(bytes.readUInt32LE(directory + 12), 2);
  const record = bytes.readUInt32LE(directory + 24);
  assert.equal(bytes.toString('latin1', record, record + 4), 'RSDS');
  const guid = Buffer.from(bytes.subarray(record + 4, record + 20));
  // Its first three fields are little-endian.
  for (const [from, to] of [
    [0, 4],
    [4, 6],
    [6, 8],
  ])
    guid.subarray(from, to).reverse();
  return { guid: guid.toString('hex').toUpperCase(), age: bytes.readUInt32LE(record + 20) };
}

const [LC_SEGMENT_64, LC_UUID, LC_MAIN] = [0x19, 0x1b, 0x80000028];

/** Reads a 64-bit Mach-O program. */
export function readMachoImage(bytes: Buffer): ProgramImage {
  assert.equal(bytes.readUInt32LE(0), 0xfeedfacf);
  const segments: (Segment & { name: string })[] = [];
  let guid = '';
  let entry = 0n;
  for (let at = 32, left = bytes.readUInt32LE(16); left > 0; at += bytes.readUInt32LE(at + 4), left--) {
    const command = bytes.readUInt32LE(at);
    if (command === LC_UUID) guid = bytes.toString('hex', at + 8, at + 24).toUpperCase();
    if (command === LC_MAIN) entry = bytes.readBigUInt64LE(at + 8);
    if (command !== LC_SEGMENT_64) continue;
    const [memorySize, offset, fileSize] = [32, 40, 48].map((field) => Number(bytes.readBigUInt64LE(at + field)));
    segments.push({
      name: bytes.toString('latin1', at + 8, at + 24).replace(/\0.*$/, ''),
      address: bytes.readBigUInt64LE(at + 24),
      offset: offset!,
      fileSize: fileSize!,
      memorySize: memorySize!,
    });
  }
  const text = segments.find(({ name }) => name === '__TEXT');
  assert.ok(text !== undefined && guid !== '' && entry !== 0n);
  const loaded = segments.filter(({ name }) => !['__PAGEZERO', '__LINKEDIT'].includes(name));
  const end = Math.max(...loaded.map(({ address, memorySize }) => Number(address - text.address) + memorySize));
  return { base: text.address, size: end, entry: text.address + entry, segments: loaded, guid, age: 0, timestamp: 0 };
}
