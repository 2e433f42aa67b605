// The public profile of an account, and the address of someone who has none.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { LinkToken, Nullable } from './fields.ts';

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
  output: Type.Object({}, { description: 'The same if it was blocked before' }),
  statuses: [200],
  errors: ['notFound'],
});
