import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { deflateSync, zstdCompressSync } from 'node:zlib';
import { buildElf, bytes, concat, sized, text, u16, u32, u64 } from '../test/build-elf.ts';
import { hugeUnitProgram, SAMPLE_SYMBOLS, sampleProgram, sampleSections } from '../test/sample-program.ts';
import { type ConversionOptions, convertFile } from './convert-file.ts';
import { DebugSymbolsError } from './error.ts';
import { identityRecords } from './identity.ts';

describe('convertFile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'convert-file-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;

  function place(files: Readonly<Record<string, Uint8Array>>): string {
    count += 1;
    const own = join(folder, String(count));
    mkdirSync(own);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(own, name), content);
    return own;
  }

  function convert(path: string, options?: ConversionOptions): string {
    const { identity, writer } = convertFile(path, options);
    return [...writer.write(identityRecords(identity))].join('');
  }

  function refusal(path: string, options?: ConversionOptions): string {
    try {
      convert(path, options);
    } catch (error) {
      if (error instanceof DebugSymbolsError) return error.code;
      throw error;
    }
    return 'none';
  }

  it('writes functions, lines, inlined calls and unwind rules of an ELF file', () => {
    assert.equal(convert(join(place({ game: sampleProgram() }), 'game')), SAMPLE_SYMBOLS);
  });

  it('reads a huge unit in pieces', () => {
    const path = join(place({ game: hugeUnitProgram() }), 'game');
    assert.equal(convert(path), SAMPLE_SYMBOLS);
    // Up to the damage.
    const file = readFileSync(path);
    file.fill(0xff, file.length >> 1, (file.length >> 1) + 64);
    writeFileSync(path, file);
    assert.equal(convert(path), SAMPLE_SYMBOLS);
  });

  it('reads sections that are compressed with zlib or zstd', () => {
    for (const [format, compress] of [
      [1, deflateSync],
      [2, zstdCompressSync],
    ] as const) {
      const packed = sampleSections().map((section) =>
        section.name.startsWith('.debug_')
          ? {
              ...section,
              flags: 0x800,
              bytes: concat(u32(format), u32(0), u64(section.bytes.length), u64(1), compress(section.bytes)),
            }
          : section,
      );
      assert.equal(convert(join(place({ game: buildElf(packed) }), 'game')), SAMPLE_SYMBOLS);
    }
  });

  describe('with a large compressed section', () => {
    /** More than is kept in memory. */
    const SIZE = 40 * 1024 * 1024;
    const padded = () => {
      const { bytes: own } = sampleSections().find(({ name }) => name === '.debug_abbrev')!;
      return concat(own, new Uint8Array(SIZE - own.length));
    };
    const head = (format: number, size: number) => concat(u32(format), u32(0), u64(size), u64(1));
    const programWith = (name: string, contents: Uint8Array, flags = 0x800) =>
      buildElf(
        sampleSections().map((section) =>
          section.name === '.debug_abbrev' ? { ...section, name, flags, bytes: contents } : section,
        ),
      );
    const bigEndian = (size: number) => Uint8Array.from(u64(size)).reverse();

    it('writes the same symbols, however the section is compressed', () => {
      const all = padded();
      const half = SIZE / 2;
      const frames = concat(zstdCompressSync(all.subarray(0, half)), zstdCompressSync(all.subarray(half)));
      for (const program of [
        programWith('.debug_abbrev', concat(head(1, SIZE), deflateSync(all))),
        programWith('.debug_abbrev', concat(head(2, SIZE), zstdCompressSync(all))),
        programWith('.debug_abbrev', concat(head(2, SIZE), frames)),
        programWith('.zdebug_abbrev', concat(text('ZLIB').subarray(0, 4), bigEndian(SIZE), deflateSync(all)), 0),
      ])
        assert.equal(convert(join(place({ game: program }), 'game')), SAMPLE_SYMBOLS);
    });

    it('is refused, or goes without the section, if its size is wrong or more than temporary files may have', () => {
      const packed = deflateSync(padded());
      const game = (size: number, bytesOf = packed) =>
        join(place({ game: programWith('.debug_abbrev', concat(head(1, size), bytesOf)) }), 'game');
      for (const path of [game(SIZE - 1), game(SIZE + 1), game(1), game(SIZE, packed.subarray(0, packed.length - 100))])
        assert.notEqual(attempt(path), SAMPLE_SYMBOLS);
      assert.equal(refusal(game(SIZE), { maxTemporaryBytes: SIZE - 1 }), 'too-large');
      assert.equal(convert(game(SIZE), { maxTemporaryBytes: SIZE }), SAMPLE_SYMBOLS);
    });

    it('leaves no temporary file behind', () => {
      const own = place({ game: programWith('.debug_abbrev', concat(head(1, SIZE), deflateSync(padded()))) });
      const temporaryFolder = join(own, 'temporary');
      mkdirSync(temporaryFolder);
      assert.equal(convert(join(own, 'game'), { temporaryFolder }), SAMPLE_SYMBOLS);
      refusal(join(own, 'game'), { temporaryFolder, maxTemporaryBytes: 1 });
      assert.deepEqual(readdirSync(temporaryFolder), []);
    });

    function attempt(path: string): string | undefined {
      try {
        return convert(path);
      } catch (error) {
        assert.ok(error instanceof DebugSymbolsError, String(error));
        return undefined;
      }
    }
  });

  it('refuses a section that claims to be much larger than its contents could be', () => {
    const bomb = sampleSections().map((section) =>
      section.name === '.debug_info'
        ? { ...section, flags: 0x800, bytes: concat(u32(1), u32(0), u64(2 ** 30), u64(1), bytes(1, 2, 3)) }
        : section,
    );
    assert.equal(refusal(join(place({ game: buildElf(bomb) }), 'game')), 'too-large');
  });

  it('finds the debug file of a stripped program next to it, or takes it as the counterpart in either order', () => {
    const stripped = buildElf(sampleSections().filter(({ name }) => !name.startsWith('.debug_')));
    const debug = buildElf(
      sampleSections().map((section) => (section.name === '.text' ? { ...section, type: 8 } : section)),
    );
    const own = place({ game: stripped, 'game.debug': debug });
    const [game, debugFile] = [join(own, 'game'), join(own, 'game.debug')];
    assert.equal(convert(game), SAMPLE_SYMBOLS);
    assert.equal(convert(game, { counterpart: debugFile }), SAMPLE_SYMBOLS);
    assert.equal(convert(debugFile, { counterpart: game }), SAMPLE_SYMBOLS);
    const alone = convert(game, { findsCounterparts: false });
    assert.ok(!alone.includes('FUNC'), alone);
    assert.ok(alone.includes('STACK CFI INIT 1000'), alone);
  });

  it('refuses files of different builds', () => {
    const other = sampleSections().map((section) =>
      section.name === '.note.gnu.build-id'
        ? { ...section, bytes: concat(u32(4), u32(16), u32(3), text('GNU'), new Uint8Array(16).fill(9)) }
        : section,
    );
    const own = place({ game: sampleProgram(), 'other.debug': buildElf(other) });
    assert.equal(refusal(join(own, 'game'), { counterpart: join(own, 'other.debug') }), 'mismatch');
  });

  it('refuses files of other formats', () => {
    const own = place({ 'a.txt': text('nothing that has symbols'), empty: new Uint8Array() });
    assert.equal(refusal(join(own, 'a.txt')), 'unknown-format');
    assert.equal(refusal(join(own, 'empty')), 'unknown-format');
    assert.equal(refusal(own), 'unknown-format');
  });

  it('leaves out the lines of a unit whose files have so many long paths that they would fill the memory', () => {
    const files = text(...Array.from({ length: 1000 }, (_, index) => `${index}.h\0\x01\0`));
    const tables = concat(text('d'.repeat(60_000)), bytes(0), files, bytes(0));
    const header = concat(bytes(1, 1, 1, 0xfb, 14, 13), bytes(0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1), tables);
    // Line 2 at the start of the function.
    const program = concat(bytes(0, 9, 2), u64(0x401000), bytes(3, 1, 1, 2, 0x40, 0, 1, 1));
    const lines = sized(u16(4), u32(header.length), header, program);
    const game = sampleSections().map((section) =>
      section.name === '.debug_line' ? { ...section, bytes: lines } : section,
    );
    const symbols = convert(join(place({ game: buildElf(game) }), 'game'));
    assert.doesNotMatch(symbols, /^FILE/m);
    assert.match(symbols, /^STACK CFI INIT 1000 40/m);
  });

  it('survives a file that is cut at any byte, or has any byte changed', () => {
    const program = sampleProgram();
    const own = place({});
    const path = join(own, 'game');
    for (let at = 0; at < program.length; at += 1) {
      writeFileSync(path, program.subarray(0, at));
      refusal(path);
      for (const value of [0x00, 0x7f, 0xff]) {
        const changed = program.slice();
        changed[at] = value;
        writeFileSync(path, changed);
        refusal(path);
      }
    }
  });
});
