// Binds the operations of alerts to the functions that serve them, and jobs to their schedule.
import * as contract from '@chauffeur/contract/operations/alerts';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { collectAlerts, collectJob, expireAlerts } from './alerts.ts';
import { deliverAlert, deliverJob } from './deliver.job.ts';
import * as destinations from './destinations.ts';
import { getAlerts, subscribeToAlerts, updateAlerts } from './rules.ts';
import { unsubscribeFromAlerts } from './unsubscribe.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getAlerts, getAlerts),
  handle(contract.updateAlerts, updateAlerts),
  handle(contract.subscribeToAlerts, subscribeToAlerts),
  stream(contract.unsubscribeFromAlerts, unsubscribeFromAlerts),
  handle(contract.listAlertDestinations, destinations.listAlertDestinations),
  handle(contract.addAlertDestination, destinations.addAlertDestination),
  handle(contract.updateAlertDestination, destinations.updateAlertDestination),
  handle(contract.deleteAlertDestination, destinations.deleteAlertDestination),
  handle(contract.rotateAlertSecret, destinations.rotateAlertSecret),
  handle(contract.testAlertDestination, destinations.testAlertDestination),
  handle(contract.listAlertDeliveries, destinations.listAlertDeliveries),
  handle(contract.redeliverAlert, destinations.redeliverAlert),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(collectJob, collectAlerts, { cron: '* * * * *' }),
  bindJob(deliverJob, deliverAlert, { lane: 'outgoing' }),
  bindJob(defineJob<object>('alerts:expire', 5), expireAlerts, { cron: '23 4 * * *', deletesOld: true }),
];
