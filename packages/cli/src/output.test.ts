import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LocalError } from './failures.ts';
import { formatCount, formatPairs, Output, problemOf } from './output.ts';

test('counts have the noun in the right number', () => {
  const counts = [0, 1, 2, 1240].map((count) => formatCount(count, 'entry', 'entries'));
  assert.deepEqual(counts, ['0 entries', '1 entry', '2 entries', '1,240 entries']);
  assert.equal(formatCount(2, 'file'), '2 files');
});

/** Collects what is written to a terminal or, without `isTTY`, to a pipe. */
function startSink(isTTY?: true) {
  const written: string[] = [];
  return { written, write: (text: string) => written.push(text), ...(isTTY && { isTTY }) };
}

const RESULT = {
  data: { build_id: '1' },
  lines: ['1.0.0 is live.'],
  piped: formatPairs({ build_id: '1', page: 'a=b' }),
};

test('people get sentences, scripts get pairs, and --json gets the object', () => {
  for (const [isTTY, json, expected] of [
    [true, false, '1.0.0 is live.\n'],
    [undefined, false, 'build_id=1\npage=a=b\n'],
    [true, true, '{"build_id":"1"}\n'],
    [undefined, true, '{"build_id":"1"}\n'],
  ] as const) {
    const stdout = startSink(isTTY);
    new Output({ json }, stdout, startSink(), {}).result(RESULT);
    assert.equal(stdout.written.join(''), expected);
  }
  const stdout = startSink();
  new Output({}, stdout, startSink(), {}).result({ data: {}, lines: ['No builds found.'] });
  assert.equal(stdout.written.join(''), 'No builds found.\n', 'lines are for pipes too if there is nothing else');
});

test('errors and warnings begin in colour in a terminal, and JSON has none', () => {
  const [red, yellow, plain] = ['\x1b[1;31m', '\x1b[1;33m', '\x1b[0m'];
  const problem = problemOf(new LocalError('--os is empty.', 'Correct it.'));
  const terminal = startSink(true);
  const output = new Output({}, startSink(), terminal, {});
  output.problem(problem);
  output.note('warning: --description is empty.');
  output.note('Zipped 1 entry.');
  assert.deepEqual(terminal.written, [
    `${red}error:${plain} --os is empty.\n  Correct it.\n`,
    `\r\x1b[K${yellow}warning:${plain} --description is empty.\n`,
    '\r\x1b[KZipped 1 entry.\n',
  ]);
  const pipe = startSink();
  new Output({}, startSink(), pipe, {}).problem(problem);
  assert.deepEqual(pipe.written, ['error: --os is empty.\n  Correct it.\n']);
  const stdout = startSink(true);
  new Output({ json: true }, stdout, startSink(true), { FORCE_COLOR: '1' }).problem(problem);
  assert.equal(JSON.parse(stdout.written.join('')).error.message, '--os is empty.');
});
