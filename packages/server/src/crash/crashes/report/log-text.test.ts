import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readLogTail, tailStartOf } from './log-text.ts';

const read = (text: string, hasMore = false) => readLogTail(Buffer.from(text), hasMore);

describe('readLogTail', () => {
  it('starts with a complete line if the log has more before it', () => {
    assert.equal(read('of a line\nfps: 59\n', true), 'fps: 59\n');
    assert.equal(read('level: garage\nfps: 59\n'), 'level: garage\nfps: 59\n');
  });

  it('keeps an incomplete line if it is the only one', () => assert.equal(read('endless', true), 'endless'));

  it('removes user names, terminal colours and bidirectional controls', () => {
    assert.equal(
      read('open /home/ann/x\r\n\x1b[31mred\x1b[0m\x00\u202eok\tend'),
      'open /home/<user>/x\nred' + 'ok\tend',
    );
  });

  it('reads UTF-16, of which the byte order mark may be missing', () => {
    const log = Buffer.from('\ufeffLevel: Gärten\r\nFPS: 59 日本\r\n', 'utf16le');
    const expected = 'Level: Gärten\nFPS: 59 日本\n';
    assert.equal(readLogTail(log, false), expected);
    assert.equal(readLogTail(log.subarray(2), false), expected);
    assert.equal(readLogTail(log.subarray(6), true), 'FPS: 59 日本\n');
    assert.equal(readLogTail(Buffer.from(log).swap16(), false), expected);
  });

  it('reads the end of a UTF-16 log in another script, which has few Latin letters', () => {
    const line = 'Уровень загружен: гараж 3\n';
    const log = Buffer.from(line.repeat(200), 'utf16le');
    assert.equal(readLogTail(log, true), line.repeat(199));
    assert.equal(readLogTail(Buffer.from(log).swap16(), true), line.repeat(199));
  });

  it('reads UTF-16 from an even position, also of a log that was cut off within a character', () => {
    const line = 'Level: 3\r\n';
    const log = Buffer.from(line.repeat(100), 'utf16le').subarray(0, -1);
    const tail = log.subarray(tailStartOf(log.length, 400));
    assert.ok(tail.length < 400);
    assert.match(readLogTail(tail, true), /^Level: 3\nLevel: 3\n/);
  });

  it('replaces invalid bytes', () => {
    assert.equal(readLogTail(Buffer.from([0x61, 0xff, 0x62]), false), 'a\u{fffd}b');
  });
});
