// Binds the operations and jobs of events to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/events';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { countEvents, deleteDevice, getDevice, listEventNames } from './events.ts';
import { receiveEngineEvents, receiveEvents } from './http.ts';
import { foldSlotsJob, sumPastDays } from './keep/fold-slots.job.ts';
import { eventPartitionJob, makeEventPartitions } from './keep/partitions.job.ts';
import { dropOldEvents, eventRetentionJob } from './keep/retention.job.ts';

export const ROUTES: readonly Route[] = [
  stream(contract.createEvents, receiveEvents),
  handle(contract.listEventNames, listEventNames),
  handle(contract.countEvents, countEvents),
  handle(contract.getDevice, getDevice),
  handle(contract.deleteDevice, deleteDevice),
  // The path to which the analytics modules of engines send.
  { ...stream(contract.createEngineEvents, receiveEngineEvents), url: '/v1/events' },
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(eventPartitionJob, makeEventPartitions, { cron: '5 1 * * *' }),
  bindJob(foldSlotsJob, sumPastDays, { cron: '11 0 * * *', lane: 'long' }),
  bindJob(eventRetentionJob, dropOldEvents, { cron: '43 4 * * *', lane: 'long' }),
];
