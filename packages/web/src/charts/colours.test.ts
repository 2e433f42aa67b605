import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { buildColours, COLOURS } from './colours.ts';

const ids = fc.uniqueArray(fc.uuid({ version: 7 }), { maxLength: 40 });

describe('buildColours', () => {
  it('gives any four builds in a row different colours of the palette', () => {
    fc.assert(
      fc.property(ids, (builds) => {
        const colours = [...buildColours(builds).values()];
        assert.equal(colours.length, builds.length);
        for (const [index, colour] of colours.entries()) {
          assert.ok(Number.isInteger(colour) && colour >= 0 && colour < COLOURS);
          assert.ok(!colours.slice(Math.max(0, index - 3), index).includes(colour));
        }
      }),
    );
  });

  it('keeps the colours of existing builds when builds are added', () => {
    fc.assert(
      fc.property(ids, (builds) => {
        const all = buildColours(builds);
        const before = buildColours(builds.slice(0, -1));
        for (const [id, colour] of before) assert.equal(all.get(id), colour);
      }),
    );
  });
});
