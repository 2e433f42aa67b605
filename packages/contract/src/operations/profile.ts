// What an account says of itself in public.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Nullable } from './fields.ts';

const Profile = Type.Object({
  handle: Nullable(
    Type.String({ description: 'The name in the address of your page, /@{handle}; null while there is none' }),
  ),
});

export const getProfile = defineOperation({
  id: 'accounts.profile',
  summary: 'Your public profile',
  method: 'GET',
  path: '/profile',
  access: 'account',
  output: Profile,
  statuses: [200],
  errors: [],
});

export const updateProfile = defineOperation({
  id: 'accounts.updateProfile',
  summary: 'Choose the handle of your public page, or give it up',
  method: 'PATCH',
  path: '/profile',
  access: 'account',
  body: Type.Object({
    handle: Nullable(
      Type.String({
        maxLength: 100,
        description: `${LIMITS.handleLength.least} to ${LIMITS.handleLength.most} lowercase letters, digits and single hyphens; null takes the page away`,
      }),
    ),
  }),
  output: Profile,
  statuses: [200],
  errors: [],
});
