import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import fc from 'fast-check';
import { cutPage, pageOfWhole, readCursor, writeCursor } from './cursor.ts';

const list = ['crashes', 'a game', { os: 'linux' }];
const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const isRefused = (error: unknown) =>
  error instanceof ApiError && error.code === 4002 && /^cursor: /.test(error.message);

describe('a cursor', () => {
  it('contains the position that was written', () => {
    const cursor = writeCursor(list, ['1763732629123456', id]);
    assert.deepEqual(readCursor(list, cursor, ['microseconds', 'uuid']), ['1763732629123456', id]);
    assert.match(cursor, /^[\w-]{1,200}$/);
  });

  it('can contain any file name, but no text that PostgreSQL cannot store', () => {
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\n]/.test(text));
    fc.assert(
      fc.property(name, (text) =>
        assert.deepEqual(readCursor(list, writeCursor(list, [text, 'A0']), ['text', 'text']), [text, 'A0']),
      ),
    );
    assert.throws(() => readCursor(list, writeCursor(list, ['a\0b']), ['text']), isRefused);
  });

  it('is refused by other lists, and by the same list with other filters', () => {
    const cursor = writeCursor(list, [id]);
    for (const other of [
      ['crashes', 'another game', { os: 'linux' }],
      ['crashes', 'a game', {}],
      ['groups', 'a game'],
    ]) {
      assert.throws(() => readCursor(other, cursor, ['uuid']), isRefused);
    }
  });

  it('is refused if its fields are not those of the list', () => {
    assert.throws(() => readCursor(list, writeCursor(list, [id]), ['microseconds']), isRefused);
    assert.throws(() => readCursor(list, writeCursor(list, [id, id]), ['uuid']), isRefused);
  });

  it('is refused with the same error for any text', () => {
    const mark = writeCursor(list, []);
    const text = fc.oneof(
      fc.string(),
      fc.base64String().map((end) => mark + end),
      fc.uint8Array().map((bytes) => mark + Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(fc.property(text, (cursor) => assert.throws(() => readCursor(list, cursor, ['uuid']), isRefused)));
  });
});

describe('cutPage', () => {
  it('has a last row only if another page follows', () => {
    assert.deepEqual(cutPage([1, 2, 3], 2), { page: [1, 2], last: 2 });
    assert.deepEqual(cutPage([1, 2], 2), { page: [1, 2], last: null });
    assert.deepEqual(cutPage([], 2), { page: [], last: null });
  });
});

describe('pageOfWhole', () => {
  const all = ['a', 'b', 'c'];

  it('has all items and no cursor without a limit', () => {
    assert.deepEqual(pageOfWhole(list, all, {}), { items: all });
  });

  it('continues after the previous page', () => {
    const first = pageOfWhole(list, all, { limit: 2 });
    assert.deepEqual(first.items, ['a', 'b']);
    const second = pageOfWhole(list, all, { limit: 2, cursor: first.next_cursor ?? '' });
    assert.deepEqual(second, { items: ['c'], next_cursor: null });
    assert.throws(() => pageOfWhole(['another'], all, { cursor: first.next_cursor ?? '' }), isRefused);
  });
});
