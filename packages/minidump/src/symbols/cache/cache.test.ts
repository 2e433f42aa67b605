// Tests damaged symbol caches, and how much of a cache is read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { compileText, MODULE } from '../../../test/compile-text.ts';
import { MinidumpError } from '../../error.ts';
import { openSymbolCache, type SymbolCache } from './cache.ts';
import { FileReader, MemoryRangeReader, type RangeReader } from './range-reader.ts';

const TEXT = `${MODULE}FILE 1 a.c
INLINE_ORIGIN 0 g
FUNC 10 40 0 f
INLINE 0 7 1 0 10 8
10 20 5 1
STACK CFI INIT 10 40 .cfa: $rsp 8 +
STACK WIN 4 10 40 0 0 0 0 0 0 1 $eip
`;

describe('a symbol cache', () => {
  const { bytes, cache } = compileText(TEXT);
  const expected = lookUpAll(cache);

  it('contains its module and the size of its source text', () => {
    assert.equal(cache.module.name, 'game');
    assert.equal(cache.sourceSize, TEXT.length);
    assert.equal(compileText(TEXT.trimEnd()).cache.sourceSize, TEXT.length - 1);
  });

  it('does not open if it is cut off anywhere', () => {
    for (let length = 0; length < bytes.length; length += 61) {
      assert.throws(() => openSymbolCache(new MemoryRangeReader(bytes.subarray(0, length))), isBadCache);
    }
  });

  it('returns correct results or throws if any byte is damaged', () => {
    let rejected = 0;
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Uint8Array.from(bytes);
      damaged[at]! ^= 0x20;
      try {
        assert.deepEqual(lookUpAll(openSymbolCache(new MemoryRangeReader(damaged))), expected);
      } catch (error) {
        assert.ok(isBadCache(error), String(error));
        rejected++;
      }
    }
    assert.ok(rejected > bytes.length / 7 / 2);
  });

  it('throws if its pages are swapped', () => {
    const swapped = Uint8Array.from(bytes);
    swapped.set(bytes.subarray(0, 4096), 4096);
    swapped.set(bytes.subarray(4096, 8192), 0);
    const opened = openSymbolCache(new MemoryRangeReader(swapped));
    assert.throws(() => lookUpAll(opened), isBadCache);
  });

  it('does not open if its footer is invalid but has a correct checksum', () => {
    const [tail, length] = [bytes.length - 24, Buffer.from(bytes).readUInt32LE(bytes.length - 24)];
    // Sets lengths and numbers to all ones: the body starts with a length and ends with the numbers of the indexes.
    for (const at of [0, 4, length - 112, length - 104]) {
      const damaged = Buffer.from(bytes);
      damaged.fill(0xff, tail - length + at, tail - length + at + 8);
      damaged.writeUInt32LE(crc32(damaged.subarray(tail - length, tail)), tail + 4);
      assert.throws(() => openSymbolCache(new MemoryRangeReader(damaged)), isBadCache, `${at}`);
    }
  });

  it('does not open if it has another version', () => {
    const other = Uint8Array.from(bytes);
    other[bytes.length - 16]! += 1;
    assert.throws(() => openSymbolCache(new MemoryRangeReader(other)), /version/);
  });

  it('closes its reader if it does not open, and when it is closed', () => {
    let closed = 0;
    const reader = (source: Uint8Array): RangeReader => {
      const memory = new MemoryRangeReader(source);
      return { size: memory.size, read: (at, length) => memory.read(at, length), close: () => closed++ };
    };
    assert.throws(() => openSymbolCache(reader(bytes.subarray(1))), isBadCache);
    assert.equal(closed, 1);
    openSymbolCache(reader(bytes)).close();
    assert.equal(closed, 2);
  });
});

describe('symbol caches in files', () => {
  it('return correct results while they reuse the memory of closed caches', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'minidump-cache-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const paths = Array.from({ length: 3 }, (_, index) => {
      const functions = Array.from(
        { length: 2000 },
        (_, at) => `FUNC ${(at * 8 + 8).toString(16)} 8 0 ${index}:${at}\n`,
      );
      writeFileSync(join(folder, `${index}`), compileText(MODULE + functions.join('')).bytes);
      return join(folder, `${index}`);
    });
    for (let round = 0; round < 20; round++) {
      const caches = paths.map((path) => openSymbolCache(new FileReader(path)));
      for (const at of [0, 1999, round * 100]) {
        const names = caches.map((cache) => cache.placeAt(at * 8 + 8)?.function);
        assert.deepEqual(names, [`0:${at}`, `1:${at}`, `2:${at}`]);
      }
      caches[round % 3]!.close();
      const again = openSymbolCache(new FileReader(paths[0]!));
      assert.equal(again.placeAt(8 * 500)?.function, '0:499');
      const other = caches[(round + 1) % 3]!;
      assert.equal(other.placeAt(8 * 10)?.function, `${(round + 1) % 3}:9`);
      for (const cache of [again, ...caches]) cache.close();
    }
  });
});

describe('a lookup in a large cache', () => {
  const functions = Array.from({ length: 40_000 }, (_, index) => {
    const start = (0x1000 + index * 32).toString(16);
    return `FUNC ${start} 20 0 function_${index}\n${start} 20 ${index} ${index % 2000}\n`;
  });
  const files = Array.from({ length: 2000 }, (_, id) => `FILE ${id} /src/${id}.c\n`);
  const { bytes } = compileText(`${MODULE}${files.join('')}${functions.join('')}`);

  it('reads one page for each step, and one for the samples of each index', () => {
    const memory = new MemoryRangeReader(bytes);
    let read = 0;
    const reader = {
      size: memory.size,
      read: (at: number, length: number) => {
        read += length;
        return memory.read(at, length);
      },
      close: () => undefined,
    };
    const cache = openSymbolCache(reader);
    assert.ok(bytes.length > 1_000_000 && read <= 1024, `${read} bytes to open`);
    for (const index of [0, 1, 254, 255, 256, 20_000, 39_999]) {
      read = 0;
      const place = cache.placeAt(0x1000 + index * 32 + 31);
      assert.partialDeepStrictEqual(place, {
        function: `function_${index}`,
        line: index,
        file: `/src/${index % 2000}.c`,
      });
      assert.ok(read <= 8 * 4096, `${read} bytes to look up`);
    }
  });
});

function lookUpAll(cache: SymbolCache): unknown[] {
  return [0, 0x10, 0x2f, 0x4f, 0x50].flatMap((at) => [cache.placeAt(at), cache.cfiAt(at), cache.stackWinAt(at)]);
}

function isBadCache(error: unknown): boolean {
  return error instanceof MinidumpError && error.code === 'bad-cache';
}
