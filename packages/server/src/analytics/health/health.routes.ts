// Binds the operations and jobs of health to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/health';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { bandAlertsJob, raiseBandAlerts } from './band-alerts.job.ts';
import { compareCrashes } from './compare-crashes.ts';
import { compareHealth, getBuildHealth, listHealth } from './health.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listHealth, listHealth),
  handle(contract.getBuildHealth, getBuildHealth),
  handle(contract.compareHealth, compareHealth),
  handle(contract.compareCrashes, compareCrashes),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(bandAlertsJob, raiseBandAlerts, { cron: '*/10 * * * *', lane: 'long' }),
];
