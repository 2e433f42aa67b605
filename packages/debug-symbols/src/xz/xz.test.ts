// Compares the unpacking of .xz files with that of `xz`, and tries damaged ones.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { packXz, WITHOUT_XZ } from '../../test/xz-command.ts';
import { MemorySource } from '../byte-source.ts';
import { DebugSymbolsError } from '../error.ts';
import { isXz, unpackXz } from './xz.ts';

const options = { skip: WITHOUT_XZ };

function unpack(packed: Uint8Array): Buffer {
  return Buffer.concat([...unpackXz(new MemorySource(packed))]);
}

/** Repeats with changes, of which a compressor makes matches of all kinds. */
function sampleOf(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let [at, state] = [0, 1]; at < size; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 28 === 0 ? state >>> 20 : at > 1000 ? bytes[at - 1 - (state >>> 22)]! : at & 0x3f;
  }
  return bytes;
}

describe('unpackXz', options, () => {
  const code = readFileSync(process.execPath).subarray(0, 300_000);
  const samples = [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(3_000_000), sampleOf(200_000), code];
  const settings = [
    ['-6'],
    ['-0'],
    ['-9e'],
    ['--check=none'],
    ['--check=crc32'],
    ['--check=sha256'],
    ['--block-size=70000'],
    ['--lzma2=dict=4KiB,lc=0,lp=4,pb=4'],
    ['--lzma2=dict=64KiB,lc=4,lp=0,pb=0'],
  ];
  for (const args of settings) {
    it(`unpacks what xz packs with ${args.join(' ')}`, () => {
      for (const sample of samples) assert.ok(unpack(packXz(sample, ...args)).equals(sample));
    });
  }

  it('unpacks files that follow each other, with padding between them', () => {
    const both = Buffer.concat([packXz(Buffer.from('one ')), Buffer.alloc(8), packXz(Buffer.from('two'))]);
    assert.equal(unpack(both).toString(), 'one two');
  });

  it('unpacks what cannot be compressed', () => {
    const noise = Buffer.alloc(200_000);
    for (let [at, state] = [0, 7]; at < noise.length; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      noise[at] = state >>> 24;
    }
    assert.ok(unpack(packXz(noise)).equals(noise));
  });

  it('refuses filters for machine code, and windows that need much memory', () => {
    assert.throws(() => unpack(packXz(code, '--x86', '--lzma2')), { code: 'unsupported' });
    assert.throws(() => unpack(packXz(Buffer.from('a'), '--lzma2=dict=128MiB')), { code: 'too-large' });
  });

  it('finds any changed byte, and any end that is missing', () => {
    const content = sampleOf(3000);
    const packed = packXz(content);
    for (let at = 0; at < packed.length; at += 1) {
      const damaged = Buffer.from(packed);
      damaged[at]! ^= 0x10;
      assert.throws(() => unpack(damaged), DebugSymbolsError, `byte ${at}`);
      assert.throws(() => unpack(packed.subarray(0, at)), DebugSymbolsError, `cut at ${at}`);
    }
  });

  it('gives the content or a DebugSymbolsError for any bytes in a valid frame', () => {
    const packed = packXz(sampleOf(2000), '--check=none');
    const change = fc.record({ at: fc.nat(packed.length - 1), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const damaged = Buffer.from(packed);
        for (const { at, bytes } of changes) damaged.set(bytes.subarray(0, damaged.length - at), at);
        try {
          unpack(damaged);
        } catch (error) {
          assert.ok(error instanceof DebugSymbolsError, String(error));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('knows a file by its first bytes', () => {
    assert.ok(isXz(packXz(Buffer.from('a'))));
    assert.ok(!isXz(Buffer.from('\xfd7zX')));
    assert.throws(() => unpack(Buffer.from('no file')), { code: 'malformed' });
    assert.throws(() => unpack(Buffer.alloc(0)), { code: 'truncated' });
  });
});
