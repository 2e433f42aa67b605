// Binds the operations of usage to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/usage';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { limitAlertsJob, raiseLimitAlerts } from './limit-alerts.job.ts';
import { getUsage } from './usage.ts';

export const ROUTES: readonly Route[] = [handle(contract.getUsage, getUsage)];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(limitAlertsJob, raiseLimitAlerts, { cron: '*/5 * * * *' }),
];
