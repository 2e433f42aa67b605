import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDisplayNameProblem, tidyDisplayName } from './display-name.ts';

test('names of people and studios are accepted in any script', () => {
  const names = [
    'Zoë',
    'Small Walk Games',
    'D’Arcy & Sons, Inc.',
    '株式会社ゲーム',
    'محمد',
    'שלום',
    'नमस्ते',
    '👩‍🚀 Studio',
    '❤️',
    'x'.repeat(80),
  ];
  for (const name of names) assert.equal(findDisplayNameProblem(name), null, name);
});

test('names are refused if they are not text, are invisible, or reach beyond their line', () => {
  const refused: readonly [unknown, RegExp][] = [
    [undefined, /text/],
    [null, /text/],
    [7, /text/],
    [{ name: 'Ada' }, /text/],
    [['Ada'], /text/],
    ['', /visible/],
    [' \t ', /visible/],
    ['\u200d\ufe0f', /visible/],
    ['x'.repeat(81), /80/],
    ['x'.repeat(300_000), /80/],
    ['Ada\nLovelace', /line breaks/],
    ['Ada\rLovelace', /line breaks/],
    ['Ada\u2028Lovelace', /line breaks/],
    ['Ada\u0000', /control/],
    ['Ada\u001b[31m', /control/],
    ['Ada\u202eecalevoL', /invisible/],
    ['Ada\u2066x\u2069', /invisible/],
    ['Ada\u200b', /invisible/],
    ['\u3164Ada', /invisible/],
    ['Ada\u{e0041}', /invisible/],
    ['Ada\ud800', /invisible/],
    [`Z${'\u0301'.repeat(40)}`, /accents/],
  ];
  for (const [name, advice] of refused)
    assert.match(findDisplayNameProblem(name) ?? 'none', advice, JSON.stringify(name));
});

test('spaces around a name are removed, and equivalent spellings become one', () => {
  assert.equal(tidyDisplayName('  Zoe\u0308 '), 'Zo\u00eb');
});
