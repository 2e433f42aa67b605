import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ssoErrorKey } from './sso-errors.ts';

test('an unknown reason is not shown as it was sent', () => {
  for (const code of ['', 'nonsense', '<b>', 'constructor']) assert.equal(ssoErrorKey(code), 'signIn.sso.failed', code);
});
