import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSsoError } from './sso-errors.ts';

test('an unknown reason is not shown as it was sent', () => {
  for (const code of ['', 'nonsense', '<b>', 'constructor'])
    assert.match(String(formatSsoError(code)), /^The single sign-on failed\./, code);
});
