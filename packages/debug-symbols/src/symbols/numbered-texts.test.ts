import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NumberedTexts } from './numbered-texts.ts';
import { TextStore } from './text-store.ts';

describe('NumberedTexts', () => {
  it('numbers many texts, each once, in their order', () => {
    const store = new TextStore(undefined, 1);
    const numbers = new NumberedTexts(store, 'NAME');
    const texts = Array.from(
      { length: 30_000 },
      (_, index) => `${index % 7 === 0 ? 'ü' : 'draw'}<${index}>::${index * 7}`,
    );
    assert.deepEqual(
      texts.map((text) => numbers.number(text)),
      texts.map((_, index) => index),
    );
    for (const index of [0, 1, 4711, 29_999, 12]) assert.equal(numbers.number(texts[index]!), index);
    const lines = [...numbers.lines()].map((line) => Buffer.from(line).toString());
    assert.deepEqual(
      lines,
      texts.map((text, index) => `NAME ${index} ${text}\n`),
    );
    store.close();
  });
});
