import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasColour } from './colours.ts';

test('a terminal has colours unless it cannot show them, and a pipe only if they are forced', () => {
  const cases: [isTTY: boolean | undefined, env: Record<string, string>, expected: boolean][] = [
    [true, { TERM: 'xterm-256color' }, true],
    [true, {}, true],
    [true, { TERM: 'dumb' }, false],
    [undefined, { TERM: 'xterm' }, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [undefined, { FORCE_COLOR: '1' }, true],
    [undefined, { FORCE_COLOR: '' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { FORCE_COLOR: 'false' }, false],
    [undefined, { FORCE_COLOR: '1', NO_COLOR: '1', TERM: 'dumb' }, true],
  ];
  for (const [isTTY, env, expected] of cases)
    assert.equal(hasColour(isTTY === undefined ? {} : { isTTY }, env), expected, JSON.stringify([isTTY, env]));
});
