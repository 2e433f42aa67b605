import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from './log.ts';

describe('createLog', () => {
  function lineOf(write: (log: ReturnType<typeof createLog>) => void): Record<string, unknown> {
    const lines: string[] = [];
    write(createLog('info', { write: (line) => lines.push(line) }));
    assert.equal(lines.length, 1);
    return JSON.parse(lines[0]!);
  }

  it('removes secrets at any depth and in any case', () => {
    const headers = { Authorization: 'Bearer a', 'set-cookie': ['b'], host: 'x' };
    const line = lineOf((log) =>
      log.info({ token: 'c', request: { headers, keys: [{ secret_key: 'd' }] } }, 'message'),
    );
    assert.deepEqual(line.request, {
      headers: { Authorization: '[redacted]', 'set-cookie': '[redacted]', host: 'x' },
      keys: [{ secret_key: '[redacted]' }],
    });
    assert.deepEqual([line.token, line.msg, line.level], ['[redacted]', 'message', 'info']);
  });

  it('removes secrets from the lines of a child, and adds its fields', () => {
    const line = lineOf((log) => log.child({ requestId: '1' }).warn({ game: 'g', password: 'p' }, 'message'));
    assert.deepEqual([line.requestId, line.game, line.password], ['1', 'g', '[redacted]']);
  });

  it('stops at fields that refer to themselves', () => {
    const loop: Record<string, unknown> = { game: 'g' };
    loop.again = loop;
    assert.equal((lineOf((log) => log.info({ loop })).loop as typeof loop).game, 'g');
  });

  it('logs an error with its causes, but not the parameters of a query', () => {
    const cause = Object.assign(new Error('no row'), { code: '23503', parameters: ['secret'] });
    const { err } = lineOf((log) => log.error({ err: new TypeError('failed', { cause }) })) as {
      err: Record<string, unknown> & { cause: Record<string, unknown> };
    };
    assert.deepEqual(
      [err.type, err.message, err.cause.code, 'parameters' in err.cause],
      ['TypeError', 'failed', '23503', false],
    );
    assert.match(String(err.stack), /TypeError: failed/);
  });
});
