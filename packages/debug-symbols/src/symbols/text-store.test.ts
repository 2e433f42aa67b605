import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TextStore } from './text-store.ts';

describe('TextStore', () => {
  it('returns texts as they were, also from the file', () => {
    const store = new TextStore(undefined, 2);
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ü ${'x'.repeat(index * 20_000)}`);
    const places = texts.map((text) => append(store, text));
    for (const [index, place] of places.entries()) assert.equal(read(store, place), texts[index]);
    for (const [index, place] of places.toReversed().entries()) assert.equal(read(store, place), texts.at(-1 - index));
    store.close();
  });

  it('keeps a text that is larger than a chunk', () => {
    const store = new TextStore();
    const large = 'y'.repeat(3_000_000);
    const [first, second] = [append(store, large), append(store, 'small')];
    assert.equal(read(store, first), large);
    assert.equal(read(store, second), 'small');
    store.close();
  });
});

type Place = { place: number; length: number };

function append(store: TextStore, text: string): Place {
  const place = store.append(text);
  return { place, length: store.length };
}

function read(store: TextStore, { place, length }: Place): string {
  return Buffer.from(store.read(place, length)).toString();
}
