// Binds the operations and the job of the command's logins to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/cli-logins';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { countPublicPost } from '../../request/address-limit.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { endCliLogin, listCliLogins, revokeCliLogin } from './cli-logins.ts';
import { forgetLoginsJob, forgetOldLogins } from './forget.job.ts';
import { decideCliLogin, getCliLoginRequest, pollCliLogin, startCliLogin } from './requests.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.startCliLogin, startCliLogin, countPublicPost),
  handle(contract.pollCliLogin, pollCliLogin, countPublicPost),
  handle(contract.endCliLogin, endCliLogin, countPublicPost),
  stream(contract.getCliLoginRequest, getCliLoginRequest),
  handle(contract.decideCliLogin, decideCliLogin),
  handle(contract.listCliLogins, listCliLogins),
  handle(contract.revokeCliLogin, revokeCliLogin),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(forgetLoginsJob, forgetOldLogins, { cron: '17 * * * *', lane: 'long', deletesOld: true }),
];
