// Binds the operations and jobs of game deletion to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/game-deletion';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { deleteGame, getGameDeletion, removeGameJob } from './game-deletion.ts';
import { finishDeletions, finishDeletionsJob, removeGame } from './remove-game.job.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.getGameDeletion, getGameDeletion),
  handle(contract.deleteGame, deleteGame),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(removeGameJob, removeGame, { lane: 'long' }),
  bindJob(finishDeletionsJob, finishDeletions, { cron: '23 * * * *', lane: 'long' }),
];
