import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NotPublicError } from '../../kernel/network/public-request.ts';
import { problemOf, RefusedError, requireAccepted } from './delivery-problems.ts';

function problemAt(status: number): { text: string; isFinal: boolean } | null {
  try {
    requireAccepted(status);
    return null;
  } catch (error) {
    return { text: problemOf(error, 15), isFinal: error instanceof RefusedError };
  }
}

describe('the problem of a delivery', () => {
  test('is said in words for each status, and is final if another attempt would not change it', () => {
    assert.deepEqual([200, 204, 299].map(problemAt), [null, null, null]);
    for (const [status, text, isFinal] of [
      [302, /redirects to another address/, true],
      [400, /didn't accept the message \(status 400\)\.$/, true],
      [401, /refused access/, true],
      [404, /doesn't know this address/, true],
      [410, /doesn't know this address/, true],
      [408, /didn't accept/, false],
      [429, /too many messages/, false],
      [503, /has a problem at the moment \(status 503\)\.$/, false],
    ] as const) {
      const problem = problemAt(status);
      assert.match(problem?.text ?? '', text);
      assert.equal(problem?.isFinal, isFinal, String(status));
    }
  });

  test('of a connection names no addresses of this network', () => {
    const failed = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.7:443`), { code });
    assert.equal(problemOf(failed('ECONNREFUSED'), 15), 'The host refused the connection (ECONNREFUSED).');
    assert.equal(problemOf(failed('ENOTFOUND'), 15), 'No host has this name (ENOTFOUND).');
    assert.match(problemOf(new NotPublicError(), 15), /^The host has a private address/);
    assert.equal(
      problemOf(new DOMException('', 'TimeoutError'), 15),
      'The destination did not respond within 15 seconds.',
    );
    assert.equal(problemOf('x', 15), 'The message could not be sent.');
    assert.equal(problemOf(new Error('two\nlines'), 15), 'two lines.');
  });
});
