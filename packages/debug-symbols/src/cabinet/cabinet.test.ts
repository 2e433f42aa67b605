// Tests the unpacking of cabinets as symbol servers have them, and of damaged ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildCabinet } from '../../test/build-cabinet.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { isCabinet, unpackCabinet } from './cabinet.ts';

const unpack = (cabinet: Uint8Array) => Buffer.concat([...unpackCabinet(new MemorySource(cabinet))]);

/** Text that repeats over more than a block, so that blocks copy from the ones before them. */
const CONTENT = Buffer.from(
  Array.from({ length: 12_000 }, (_, line) => `line ${Math.imul(line % 900, 40_503) % 65_536}\n`).join(''),
);

describe('unpackCabinet', () => {
  for (const method of [0, 1]) {
    it(`unpacks a file with the compression ${method}`, () => {
      for (const hasChecksums of [true, false])
        for (const size of [0, 1, 32_768, 32_769, CONTENT.length]) {
          const content = CONTENT.subarray(0, size);
          assert.ok(unpack(buildCabinet(content, { method, hasChecksums })).equals(content), `${size} bytes`);
        }
    });
  }

  it('unpacks only the first file of several', () => {
    const cabinet = buildCabinet(CONTENT);
    // The first file ends and starts within blocks.
    new DataView(cabinet.buffer).setUint32(44, 40_000, true);
    new DataView(cabinet.buffer).setUint32(48, 20_000, true);
    assert.ok(unpack(cabinet).equals(CONTENT.subarray(20_000, 60_000)));
  });

  it('refuses other compressions with what to do, and parts of a set', () => {
    const cabinet = buildCabinet(CONTENT, { method: 3 });
    assert.throws(() => unpack(cabinet), { code: 'unsupported', message: /LZX compression .* use MSZIP/ });
    const part = buildCabinet(CONTENT);
    part[30] = 1;
    assert.throws(() => unpack(part), { code: 'unsupported' });
  });

  it('finds changed bytes and ends that are missing', () => {
    const cabinet = buildCabinet(CONTENT.subarray(0, 40_000));
    const dataAt = 36 + 8 + 16 + 'game.pdb'.length + 1;
    for (let at = dataAt; at < cabinet.length; at += 1) {
      const damaged = Uint8Array.from(cabinet);
      damaged[at]! ^= 0x40;
      // A checksum of zero says that there is none.
      assert.throws(() => unpack(damaged), DebugSymbolsError, `byte ${at}`);
    }
    for (let end = 0; end < cabinet.length; end += 97)
      assert.throws(() => unpack(cabinet.subarray(0, end)), DebugSymbolsError, `cut at ${end}`);
  });

  it('gives at most what its blocks can have, or a DebugSymbolsError, for any changes', () => {
    const cabinet = buildCabinet(CONTENT.subarray(0, 70_000), { hasChecksums: false });
    const change = fc.record({ at: fc.nat(200), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const damaged = Uint8Array.from(cabinet);
        for (const { at, bytes } of changes) damaged.set(bytes, at);
        try {
          assert.ok(unpack(damaged).length <= 65_535 * 32_768);
        } catch (error) {
          assert.ok(error instanceof DebugSymbolsError, String(error));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('knows a cabinet by its first bytes', () => {
    assert.ok(isCabinet(buildCabinet(CONTENT)));
    assert.ok(!isCabinet(Buffer.from('MSC')));
    assert.throws(() => unpack(Buffer.alloc(40)), { code: 'malformed' });
  });
});
