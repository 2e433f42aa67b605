// What messages say in each language, compared with the library of the ICU format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IntlMessageFormat } from 'intl-messageformat';
import { CATALOGUES, textsOf } from './catalogue.ts';
import { type MessageKey, PAGE_LANGUAGES } from './messages.ts';

const COUNTS = [0, 1, 2, 12_345];

/** A value for each name in the message: elements for tags, the count for numbers, and else a word. */
function valuesFor(text: string, count: number): Record<string, unknown> {
  const tags = [...text.matchAll(/<(\w+)>/g)].map(([, name = '']) => [
    name,
    (content: unknown[]) => ({ name, content }),
  ]);
  const numbers = [...text.matchAll(/\{(\w+), (?:plural|number)/g)].map(([, name = '']) => [name, count]);
  const words = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, `a ${name}`]);
  return Object.fromEntries([...words, ...tags, ...numbers]);
}

for (const language of PAGE_LANGUAGES)
  test(`every message is written as the ICU format says, in ${language}`, () => {
    for (const [key, text] of Object.entries(CATALOGUES[language]))
      for (const count of COUNTS) {
        const values = valuesFor(text, count);
        const expected: unknown = new IntlMessageFormat(text, language).format(values as never);
        assert.deepEqual(textsOf(language).parts(key as MessageKey, values), expected, `${key} with ${count}`);
      }
  });

test('a message without one of its values is a mistake, not an empty place', () => {
  assert.throws(() => textsOf('en').t('bytes', {}), /no value for count/);
});
