import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@chauffeur/contract/errors';
import { asKnownError } from './failures.ts';

const withCode = (code: string) => Object.assign(new Error('details of the server'), { code });

test('what succeeds when it is tried again is reported as unavailable, without details', () => {
  for (const code of ['40P01', '40001', '57P01', 'ECONNREFUSED']) {
    const error = asKnownError(withCode(code));
    assert.equal(error?.code, 5030, code);
    assert.doesNotMatch(error?.message ?? '', /details/);
  }
});

test('what refers to something that was deleted meanwhile is not found, without details', () => {
  const error = asKnownError(withCode('23503'));
  assert.equal(error?.code, 4040);
  assert.doesNotMatch(error?.message ?? '', /details/);
});

test('other failures have no code, and those of callers keep theirs', () => {
  for (const thrown of [withCode('23505'), new Error('x'), 'x', null, undefined])
    assert.equal(asKnownError(thrown), null);
  const error = new ApiError(4040);
  assert.equal(asKnownError(error), error);
});
