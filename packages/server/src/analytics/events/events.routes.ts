// Binds the operations and jobs of events to the functions that serve and run them.
import * as breadcrumbContract from '@chauffeur/contract/operations/breadcrumbs';
import * as fileContract from '@chauffeur/contract/operations/event-files';
import * as contract from '@chauffeur/contract/operations/events';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { countEvents, deleteDevice, getDevice, listEventNames } from './events.ts';
import { deleteFiles, deleteFilesJob, expireFiles, expireFilesJob } from './files/delete-files.job.ts';
import { removeDevicesJob, removeDevicesNow } from './files/remove-devices.job.ts';
import { deleteEventFiles, downloadEventFile, getEventFiles, listEventFiles, setEventFiles } from './files/settings.ts';
import { writeEventFiles, writeFilesJob } from './files/write-files.job.ts';
import { receiveEngineEvents, receiveEvents } from './http.ts';
import { foldSlotsJob, sumPastDays } from './keep/fold-slots.job.ts';
import { eventPartitionJob, makeEventPartitions } from './keep/partitions.job.ts';
import { dropOldEvents, eventRetentionJob } from './keep/retention.job.ts';
import { getBreadcrumbs } from './read/breadcrumbs.ts';

export const ROUTES: readonly Route[] = [
  stream(contract.createEvents, receiveEvents),
  handle(contract.listEventNames, listEventNames),
  handle(contract.countEvents, countEvents),
  handle(contract.getDevice, getDevice),
  handle(breadcrumbContract.getBreadcrumbs, getBreadcrumbs),
  handle(contract.deleteDevice, deleteDevice),
  handle(fileContract.getEventFiles, getEventFiles),
  handle(fileContract.setEventFiles, setEventFiles),
  handle(fileContract.listEventFiles, listEventFiles),
  stream(fileContract.downloadEventFile, downloadEventFile),
  handle(fileContract.deleteEventFiles, deleteEventFiles),
  // The path to which the analytics modules of engines send.
  { ...stream(contract.createEngineEvents, receiveEngineEvents), url: '/v1/events' },
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(eventPartitionJob, makeEventPartitions, { cron: '5 1 * * *' }),
  bindJob(foldSlotsJob, sumPastDays, { cron: '11 0 * * *', lane: 'long' }),
  bindJob(eventRetentionJob, dropOldEvents, { cron: '43 4 * * *', lane: 'long', deletesOld: true }),
  bindJob(writeFilesJob, writeEventFiles, { cron: '7 * * * *', lane: 'long' }),
  bindJob(removeDevicesJob, removeDevicesNow, { lane: 'long' }),
  bindJob(deleteFilesJob, deleteFiles, { lane: 'long' }),
  bindJob(expireFilesJob, expireFiles, { cron: '51 4 * * *', lane: 'long', deletesOld: true }),
];
