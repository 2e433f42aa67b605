import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLog } from './log.ts';
import { terminalLines } from './terminal-lines.ts';

function linesOf(write: (log: ReturnType<typeof createLog>) => void): string[] {
  let text = '';
  const destination = terminalLines((line) => {
    text += line;
  });
  write(createLog('info', destination));
  return stripVTControlCharacters(text).split('\n');
}

test('lines for people have the time, the level, the message and the fields', () => {
  const [line] = linesOf((log) => log.info({ role: 'start', url: 'http://127.0.0.1:4000' }, 'started'));
  assert.match(line ?? '', /^\d\d:\d\d:\d\d info {2}started role=start url=http:\/\/127\.0\.0\.1:4000$/);
});

test('an error is below its message, with its stack', () => {
  const [line, error, place] = linesOf((log) => log.error({ err: new TypeError('no row') }, 'a job failed'));
  assert.match(line ?? '', / error a job failed$/);
  assert.equal(error, '  TypeError: no row');
  assert.match(place ?? '', /^ {6}at .*terminal-lines\.test\.ts/);
});

test('secrets and control characters do not reach the terminal', () => {
  const lines = linesOf((log) => log.warn({ token: 'abc', path: '/a\u001b[2J\u202e\nb' }, 'strange\r\nrequest'));
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /warn {2}strange {2}request token=\[redacted\] path=\/a \[2J {2}b$/);
});
