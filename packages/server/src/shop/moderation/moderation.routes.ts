// Binds the operations of moderation to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/moderation';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';
import { handle, type Route } from '../../request/route.ts';
import {
  countPageReport,
  dismissReports,
  expireReports,
  hidePage,
  listReportedGames,
  reportPage,
  restorePage,
} from './moderation.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.reportPage, reportPage, countPageReport),
  handle(contract.listReportedGames, listReportedGames),
  handle(contract.dismissReports, dismissReports),
  handle(contract.hidePage, hidePage),
  handle(contract.restorePage, restorePage),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(defineJob<object>('moderation:expire', 5), expireReports, { cron: '51 4 * * *', deletesOld: true }),
];
