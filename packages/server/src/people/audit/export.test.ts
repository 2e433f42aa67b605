import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvField } from './export.ts';

for (const [text, field] of [
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-2', "'-2"],
  ['+cmd', "'+cmd"],
  ['\t=1', "'\t=1"],
  ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
] as const) {
  test(`writes ${JSON.stringify(text)} so that a spreadsheet shows it as a text`, () =>
    assert.equal(csvField(text), field));
}
