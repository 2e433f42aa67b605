// How long the text formats take for texts that repeat what costs them most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTrace, TEXT_LIMITS } from './find-trace.ts';
import { CAUSES } from './formats.examples.ts';

test('text formats take time in proportion to the length of the text, whatever is in it', () => {
  const lines = CAUSES.flatMap(({ texts }) => texts.flatMap((text) => text.split('\n')));
  const pieces = [
    ...new Set(lines.filter(Boolean)),
    ...'()[]{}<>"\'`:@#./\\ \t-_=1a',
    'at ',
    'at a(',
    '---> ',
    'Caused by: ',
    ': ',
    'a.',
  ];
  const timeOf = (unit: string, characters: number) => {
    const text = unit.repeat(Math.ceil(characters / unit.length));
    const start = process.cpuUsage();
    findTrace(text, 'last');
    return process.cpuUsage(start).user;
  };
  for (const unit of pieces.flatMap((piece) => [piece, `${piece}\n`])) {
    // If a quarter of the text takes this little, even quadratic time for all of it is within the bound.
    if (timeOf(unit, TEXT_LIMITS.characters / 4) < 50_000) continue;
    const user = timeOf(unit, TEXT_LIMITS.characters);
    // Most take a hundredth of it; each line examined again from each other one would take several times as long.
    assert.ok(user < 1_000_000, `${user / 1000} ms for ${JSON.stringify(unit)}`);
  }
});
