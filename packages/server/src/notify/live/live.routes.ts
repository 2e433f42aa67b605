// Binds the stream of changes to the function that serves it, and forgets old changes.
import * as contract from '@chauffeur/contract/operations/live';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { type Route, stream } from '../../request/route.ts';
import { dropChanges, dropChangesJob } from './drop-changes.job.ts';
import { watchGame } from './live.ts';

export const ROUTES: readonly Route[] = [stream(contract.watchGame, watchGame)];

export const JOBS: readonly JobBinding<Context>[] = [bindJob(dropChangesJob, dropChanges, { cron: '23 * * * *' })];
