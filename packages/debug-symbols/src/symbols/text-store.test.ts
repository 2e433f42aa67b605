import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TextStore } from './text-store.ts';

describe('TextStore', () => {
  it('returns texts as they were, also from the file', () => {
    const store = new TextStore(2);
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ü ${'x'.repeat(index * 20_000)}`);
    const places = texts.map((text) => store.append(text));
    for (const [index, place] of places.entries()) assert.equal(store.read(place).toString(), texts[index]);
    for (const [index, place] of places.toReversed().entries())
      assert.equal(store.read(place).toString(), texts.at(-1 - index));
    store.close();
  });

  it('keeps a text that is larger than a chunk', () => {
    const store = new TextStore();
    const large = 'y'.repeat(3_000_000);
    const [first, second] = [store.append(large), store.append('small')];
    assert.equal(store.read(first).toString(), large);
    assert.equal(store.read(second).toString(), 'small');
    store.close();
  });
});
