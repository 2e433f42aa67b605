import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { SOFT_ERRORS } from './soft-errors.ts';

test('returns the JSON text', () => {
  const softErrors = '[{"SuspendThreadsErrors":[]}]';
  assert.equal(readWritten(SOFT_ERRORS, { softErrors }).stream, softErrors);
});
