// Binds the operations of the operator pages, and a job, to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/operator';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding, type Lanes } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { correctFutureTimes, futureTimesJob } from './future-times.job.ts';
import {
  deleteFailedJob,
  disableUser,
  enableUser,
  getSettings,
  listFailedJobs,
  listUsers,
  readServiceState,
  resetSecondFactor,
  retryJobs,
  signUserOut,
  verifyUser,
} from './operator.ts';

/** The routes; `lanes` names the lane of each kind of job in this service. */
export function createRoutes(lanes: Lanes): readonly Route[] {
  return [
    handle(contract.getServiceState, (ctx) => readServiceState(ctx, lanes)),
    handle(contract.listFailedJobs, listFailedJobs),
    handle(contract.retryJobs, retryJobs),
    handle(contract.deleteFailedJob, deleteFailedJob),
    handle(contract.listUsers, listUsers),
    handle(contract.verifyUser, verifyUser),
    handle(contract.signUserOut, signUserOut),
    handle(contract.disableUser, disableUser),
    handle(contract.enableUser, enableUser),
    handle(contract.resetSecondFactor, resetSecondFactor),
    handle(contract.getSettings, getSettings),
  ];
}

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(futureTimesJob, correctFutureTimes, { cron: '*/5 * * * *', lane: 'long', atStart: true }),
];
