// A copy of everything that is stored about an account, for the person it belongs to.
import { defineOperation } from '../operation.ts';

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
