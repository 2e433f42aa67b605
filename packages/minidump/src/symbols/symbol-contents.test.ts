// Tests the counting of records, for texts in chunks of any size, and which of two files is richer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { symbolText } from '../../test/random-symbols.ts';
import { ContentsCounter, countRecords, DETAILS, detailOf } from './symbol-contents.ts';

function contentsOf(text: string, chunkSize = 1 << 16) {
  const counter = new ContentsCounter();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkSize) counter.write(bytes.subarray(at, at + chunkSize));
  return counter.finish();
}

const MODULE = 'MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 game.pdb\nINFO CODE_ID 5AB380779000 game.exe\n';
const FULL = `${MODULE}FILE 0 a.cc\nINLINE_ORIGIN 0 blend\nFUNC m 10 8 0 draw(int)\nINLINE 0 1 0 0 10 4\n10 4 1 0\n14 4 2 0
PUBLIC 40 0 _main\nSTACK CFI INIT 10 8 .cfa: $rsp 8 +\nSTACK CFI 11 .cfa: $rsp 16 +\nSTACK WIN 4 40 8 0 0 0 0 0 0 0 0`;

describe('counting the records of a symbol file', () => {
  it('counts functions, lines, inlined calls, public names and ranges of unwind rules', () => {
    const counts = { functions: 1, lines: 2, inlines: 1, publics: 1, unwind: 2 };
    assert.deepEqual(contentsOf(FULL), counts);
    assert.deepEqual(contentsOf(FULL.replaceAll('\n', '\r\n')), counts);
  });

  it('gives the same result for chunks of any size', () => {
    fc.assert(
      fc.property(symbolText, fc.integer({ min: 1, max: 300 }), (text, size) => {
        assert.deepEqual(contentsOf(text, size), contentsOf(text));
      }),
    );
  });

  it('does not count placeholders as names', () => {
    const text = 'FUNC 10 8 0 <unknown in game.dll>\nPUBLIC 40 0 <.text ELF section in game>\n';
    assert.equal(countRecords(contentsOf(MODULE + text)), 0);
  });

  it('takes time in proportion to the text, whatever it contains', () => {
    for (const line of ['\n', 'FUNC ', 'x'.repeat(5000), 'FUNC 10 8 0 a\n']) {
      const begun = process.cpuUsage();
      contentsOf(line.repeat(Math.ceil(8_000_000 / line.length)), 4096);
      assert.ok(process.cpuUsage(begun).user < 10_000_000, line);
    }
  });
});

describe('a symbol file', () => {
  const detailIn = (text: string) => detailOf(contentsOf(MODULE + text));

  it('has the detail of its best records', () => {
    assert.equal(detailOf(contentsOf(FULL)), DETAILS.lines);
    assert.equal(detailIn('FUNC 10 8 0 f\n'), DETAILS.functions);
    assert.equal(detailIn('PUBLIC 10 0 f\n'), DETAILS.names);
    assert.equal(detailIn('FUNC 10 8 0 <unknown in a>\nSTACK CFI INIT 10 8 .cfa: $rsp 8 +\n'), DETAILS.names);
    assert.equal(detailIn('FILE 0 a.cc\n'), DETAILS.nothing);
  });
});
