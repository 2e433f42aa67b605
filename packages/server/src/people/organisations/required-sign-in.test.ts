import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIGN_IN_METHODS } from '@chauffeur/contract/required-sign-in';
import { findSignInObstacle, type SignInCheck } from './required-sign-in.ts';

const CHECK: SignInCheck = {
  organisation: { uid: '1', name: 'Owls' },
  required: 'second_factor',
  proof: { method: 'second_factor', hasSecondFactor: true },
  caller: 'person',
  publicUrl: 'https://games.example.com',
  singleSignOn: 'Studio login',
};

const messageOf = (check: Partial<SignInCheck>) => findSignInObstacle({ ...CHECK, ...check })?.message;

test('a second factor is met by codes, trusted browsers and passkeys, while the account has one', () => {
  const met = [...SIGN_IN_METHODS, null].filter(
    (method) => messageOf({ proof: { method, hasSecondFactor: true } }) === undefined,
  );
  assert.deepEqual(met, ['second_factor', 'trusted_browser', 'passkey']);
  for (const method of SIGN_IN_METHODS) assert.ok(messageOf({ proof: { method, hasSecondFactor: false } }));
});

test('single sign-on is met by single sign-on alone', () => {
  const met = [...SIGN_IN_METHODS, null].filter(
    (method) => messageOf({ required: 'single_sign_on', proof: { method, hasSecondFactor: true } }) === undefined,
  );
  assert.deepEqual(met, ['sso']);
});

test('the message says what to do', () => {
  const password = { method: 'password', hasSecondFactor: true } as const;
  const none = { method: 'password', hasSecondFactor: false } as const;
  for (const [check, expected] of [
    [
      { proof: password },
      'Sign in again with your authenticator app or passkey, at https://games.example.com/sign-in.',
    ],
    [
      { proof: none },
      'Add an authenticator app or a passkey at https://games.example.com/settings/security, sign in with it.',
    ],
    [
      { proof: { method: 'second_factor', hasSecondFactor: false } },
      'Add an authenticator app or a passkey at https://games.example.com/settings/security.',
    ],
    [
      { proof: password, caller: 'key' },
      'Sign in again with your authenticator app or passkey, at https://games.example.com/sign-in, and create this personal key again.',
    ],
    [
      { required: 'single_sign_on', proof: password, caller: 'command' },
      'Sign in with Studio login at https://games.example.com/sign-in, and run chauffeur login again.',
    ],
    [
      { required: 'single_sign_on', proof: password, singleSignOn: null },
      'The operator has turned it off: ask them to end this requirement.',
    ],
  ] as const)
    assert.equal(messageOf(check)?.replace(/^Owls requires [a-z -]+\. /, ''), expected);
});
