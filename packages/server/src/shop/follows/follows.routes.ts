// Binds the operations of following to the functions that serve them, and jobs to their schedule.
import * as contract from '@chauffeur/contract/operations/follows';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { countMailRequest, countPublicPost } from '../../request/address-limit.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { announceJob, announceReleases, mailFollowers, mailFollowersJob } from './announce.job.ts';
import { confirmFollow, endFollow, followGame, getFollow, requestFollow, unfollowGame } from './follows.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getFollow, getFollow),
  handle(contract.followGame, followGame),
  handle(contract.unfollowGame, unfollowGame),
  handle(contract.requestFollow, requestFollow, countMailRequest),
  handle(contract.confirmFollow, confirmFollow, countPublicPost),
  stream(contract.endFollow, async (ctx, call) => endFollow(ctx, call.input.token)),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(announceJob, announceReleases, { cron: '*/5 * * * *' }),
  bindJob(mailFollowersJob, mailFollowers, { lane: 'long' }),
];
