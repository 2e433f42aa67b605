// Accounts: how people sign in, their public profile, a copy of everything that is stored about them, and the address of
// someone who has no account.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { SIGN_IN_METHODS } from '../required-sign-in.ts';
import { LinkToken, Nullable } from './fields.ts';

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

const Profile = Type.Object({
  handle: Nullable(Type.String({ description: 'The name in the URL of your page, /@{handle}; null if you have none' })),
});

export const getProfile = defineOperation({
  id: 'accounts.profile',
  summary: 'Get your public profile',
  method: 'GET',
  path: '/profile',
  access: 'account',
  output: Profile,
  statuses: [200],
  errors: [],
});

export const updateProfile = defineOperation({
  id: 'accounts.updateProfile',
  summary: 'Set or remove the handle of your public page',
  method: 'PATCH',
  path: '/profile',
  access: 'account',
  body: Type.Object({
    handle: Nullable(
      Type.String({
        maxLength: 100,
        description: `${LIMITS.handleLength.min} to ${LIMITS.handleLength.max} lowercase letters, digits and single hyphens; null removes the page`,
      }),
    ),
  }),
  output: Profile,
  statuses: [200],
  errors: [],
});

export const blockMails = defineOperation({
  id: 'accounts.blockMails',
  summary: 'Stop emails to an address that its owner has not confirmed, with the link in an email, for 30 days',
  method: 'POST',
  path: '/public/mails/block',
  access: 'public',
  audit: false,
  query: Type.Object({ token: LinkToken }),
  bodyKind: 'bytes',
  output: Type.Object({}, { description: 'Empty, also if it was already blocked' }),
  statuses: [200],
  errors: ['notFound'],
});

export const exportAccount = defineOperation({
  id: 'accounts.export',
  summary: 'Download everything that is stored about your account as JSON, without secrets',
  method: 'POST',
  path: '/account/export',
  access: 'account',
  answerTypes: ['application/json'],
  named: true,
  statuses: [200],
  errors: ['signInTooOld', 'limitReached'],
});
