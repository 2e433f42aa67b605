// Binds the operations and jobs of accounts to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/profile';
import * as signIn from '@chauffeur/contract/operations/sign-in';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { blockMails } from './mail-blocks.ts';
import { getProfile, updateProfile } from './profile.ts';
import { accountRetentionJob, correctTimes, correctTimesJob, forgetExpired } from './retention.job.ts';
import { dropMailCounts, dropMailCountsJob, mailJob, sendMail } from './send-mail.job.ts';
import { getSignInOptions, getSignInSecurity } from './sign-in-security.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getProfile, getProfile),
  handle(contract.updateProfile, updateProfile),
  handle(signIn.getSignInOptions, getSignInOptions),
  handle(signIn.getSignInSecurity, getSignInSecurity),
  stream(contract.blockMails, (ctx, call) => blockMails(ctx, call.input.token)),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(mailJob, sendMail),
  bindJob(accountRetentionJob, forgetExpired, { cron: '41 * * * *', lane: 'long', deletesOld: true }),
  bindJob(correctTimesJob, correctTimes, { cron: '*/5 * * * *', lane: 'long', atStart: true }),
  bindJob(dropMailCountsJob, dropMailCounts, { cron: '51 * * * *', lane: 'long', deletesOld: true }),
];
