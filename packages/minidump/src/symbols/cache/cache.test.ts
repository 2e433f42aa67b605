// What a cache does when it is damaged, and how little of it is read.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { compileText, MODULE } from '../../../test/compile-text.ts';
import { MinidumpError } from '../../error.ts';
import { openSymbolCache, type SymbolCache } from './cache.ts';
import { FileReader, MemoryReader, type RangeReader } from './range-reader.ts';

const TEXT = `${MODULE}FILE 1 a.c
INLINE_ORIGIN 0 g
FUNC 10 40 0 f
INLINE 0 7 1 0 10 8
10 20 5 1
STACK CFI INIT 10 40 .cfa: $rsp 8 +
STACK WIN 4 10 40 0 0 0 0 0 0 1 $eip
`;

describe('a cache', () => {
  const { bytes, cache } = compileText(TEXT);
  const right = askAll(cache);

  it('knows its module and the size of the text it was made from', () => {
    assert.equal(cache.module.name, 'game');
    assert.equal(cache.sourceSize, TEXT.length);
    assert.equal(compileText(TEXT.trimEnd()).cache.sourceSize, TEXT.length - 1);
  });

  it('that is cut anywhere does not open', () => {
    for (let length = 0; length < bytes.length; length += 61) {
      assert.throws(() => openSymbolCache(new MemoryReader(bytes.subarray(0, length))), isBadCache);
    }
  });

  it('with one damaged byte gives the right answer or none', () => {
    let refused = 0;
    for (let at = 0; at < bytes.length; at += 7) {
      const damaged = Uint8Array.from(bytes);
      damaged[at]! ^= 0x20;
      try {
        assert.deepEqual(askAll(openSymbolCache(new MemoryReader(damaged))), right);
      } catch (error) {
        assert.ok(isBadCache(error), String(error));
        refused++;
      }
    }
    assert.ok(refused > bytes.length / 7 / 2);
  });

  it('whose pages changed places is damaged', () => {
    const swapped = Uint8Array.from(bytes);
    swapped.set(bytes.subarray(0, 4096), 4096);
    swapped.set(bytes.subarray(4096, 8192), 0);
    const opened = openSymbolCache(new MemoryReader(swapped));
    assert.throws(() => askAll(opened), isBadCache);
  });

  it('whose end is right by its checksum and holds nonsense does not open', () => {
    const [tail, length] = [bytes.length - 24, Buffer.from(bytes).readUInt32LE(bytes.length - 24)];
    // Lengths and numbers of all ones: the first of the body is a length, those of an index are at its end.
    for (const at of [0, 4, length - 112, length - 104]) {
      const damaged = Buffer.from(bytes);
      damaged.fill(0xff, tail - length + at, tail - length + at + 8);
      damaged.writeUInt32LE(crc32(damaged.subarray(tail - length, tail)), tail + 4);
      assert.throws(() => openSymbolCache(new MemoryReader(damaged)), isBadCache, `${at}`);
    }
  });

  it('of another version does not open', () => {
    const other = Uint8Array.from(bytes);
    other[bytes.length - 16]! += 1;
    assert.throws(() => openSymbolCache(new MemoryReader(other)), /version/);
  });

  it('closes its reader when it does not open, and when it is closed', () => {
    let closed = 0;
    const reader = (source: Uint8Array): RangeReader => {
      const memory = new MemoryReader(source);
      return { size: memory.size, read: (at, length) => memory.read(at, length), close: () => closed++ };
    };
    assert.throws(() => openSymbolCache(reader(bytes.subarray(1))), isBadCache);
    assert.equal(closed, 1);
    openSymbolCache(reader(bytes)).close();
    assert.equal(closed, 2);
  });
});

describe('caches in files', () => {
  it('give the right answers while they take turns, and use the memory of those that were closed', (context) => {
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

describe('a look-up in a large cache', () => {
  const functions = Array.from({ length: 40_000 }, (_, index) => {
    const start = (0x1000 + index * 32).toString(16);
    return `FUNC ${start} 20 0 function_${index}\n${start} 20 ${index} ${index % 2000}\n`;
  });
  const files = Array.from({ length: 2000 }, (_, id) => `FILE ${id} /src/${id}.c\n`);
  const { bytes } = compileText(`${MODULE}${files.join('')}${functions.join('')}`);

  it('reads a page for each step, and one for the samples of each index', () => {
    const memory = new MemoryReader(bytes);
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
      const found = cache.placeAt(0x1000 + index * 32 + 31);
      assert.partialDeepStrictEqual(found, {
        function: `function_${index}`,
        line: index,
        file: `/src/${index % 2000}.c`,
      });
      assert.ok(read <= 8 * 4096, `${read} bytes to look up`);
    }
  });
});

function askAll(cache: SymbolCache): unknown[] {
  return [0, 0x10, 0x2f, 0x4f, 0x50].flatMap((at) => [cache.placeAt(at), cache.cfiAt(at), cache.stackWinAt(at)]);
}

function isBadCache(error: unknown): boolean {
  return error instanceof MinidumpError && error.code === 'bad-cache';
}
