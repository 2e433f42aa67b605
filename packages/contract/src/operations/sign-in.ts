// How people sign in: what the sign-in page offers, and what an account has besides its password.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';
import { SIGN_IN_METHODS } from '../required-sign-in.ts';
import { Nullable } from './fields.ts';

export const getSignInOptions = defineOperation({
  id: 'accounts.signInOptions',
  summary: 'Get the ways to sign in that the operator has set up',
  method: 'GET',
  path: '/sign-in-options',
  access: 'public',
  output: Type.Object({
    single_sign_on: Nullable(Type.String({ description: 'The name of the single sign-on; null without one' })),
  }),
  statuses: [200],
  errors: [],
});

export const getSignInSecurity = defineOperation({
  id: 'accounts.security',
  summary: 'Get what your account has besides its password, and how you signed in',
  method: 'GET',
  path: '/account/security',
  access: 'account',
  output: Type.Object({
    password: Type.Boolean({ description: 'Whether the account has a password' }),
    authenticator_app: Type.Boolean(),
    passkeys: Type.Integer(),
    single_sign_on: Type.Boolean({ description: 'Whether the account is connected with the single sign-on' }),
    signed_in_with: Nullable(
      Type.Enum([...SIGN_IN_METHODS], {
        description: 'How this session was started; null for sessions from before version 0.3',
      }),
    ),
  }),
  statuses: [200],
  errors: [],
});
