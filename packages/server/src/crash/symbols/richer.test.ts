// Which of two symbol files of a module is kept, and how that is explained.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeShortcoming, formatPoorer, replaces } from './richer.ts';

const facts = (functions: number, detail: 0 | 1 | 2 | 3, records: number) => ({ functions, detail, records });
const LINES = facts(1200, 3, 40_000);
const FUNCTIONS = facts(90_000, 2, 90_000);

describe('a new symbol file', () => {
  const existing = { ...LINES, state: 'compiled' } as const;

  it('replaces one with less detail, whatever their numbers of records are', () => {
    assert.equal(replaces(LINES, { ...FUNCTIONS, state: 'compiled' }), true);
    assert.equal(replaces(FUNCTIONS, existing), false);
  });

  it('replaces one with as many records or fewer', () => {
    assert.deepEqual(
      [39_999, 40_000, 40_001].map((records) => replaces(facts(1, 3, records), existing)),
      [false, true, true],
    );
  });

  it('replaces one that cannot be read', () => {
    assert.equal(replaces(facts(0, 0, 0), { ...existing, state: 'unreadable' }), true);
  });

  it('replaces one that was not counted yet only if it has functions', () => {
    const unknown = { state: 'compiled', detail: null, records: null } as const;
    assert.deepEqual([replaces(facts(1, 2, 1), unknown), replaces(facts(0, 1, 99), unknown)], [true, false]);
  });
});

it('the reason names what both files have', () => {
  assert.equal(
    formatPoorer(facts(0, 1, 62), LINES),
    'The build already has a richer file of this module, with 1,200 functions and their lines (40,000 records); this one has no functions, so it is not used. To use it, delete the other one first.',
  );
});

it('a file with functions and an id has no shortcoming', () => {
  const ids = { debug_id: 'A0', code_id: '' };
  assert.equal(describeShortcoming({ ...ids, detail: 2 }), null);
  assert.equal(describeShortcoming({ ...ids, detail: null }), null);
  assert.match(describeShortcoming({ ...ids, detail: 1 }) ?? '', /^It has no functions, only public names/);
  assert.match(describeShortcoming({ debug_id: '000', code_id: '', detail: 3 }) ?? '', /^It has neither a debug id/);
  assert.equal(describeShortcoming({ debug_id: '63cf138f21000', code_id: '63cf138f21000', detail: 3 }), null);
});
