// Binds the operations and jobs of symbols to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/symbols';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import { compileSymbols } from './compile.job.ts';
import { countContentsJob, countOldContents } from './contents.job.ts';
import { readSymbols, uploadSymbols } from './http.ts';
import { sweepSymbols, sweepSymbolsJob } from './sweep.job.ts';
import { compileJob, deleteBuildSymbols, issueSymbolToken, listBuildSymbols, listToolSymbols } from './symbols.ts';

export const ROUTES: readonly Route[] = [
  stream(contract.uploadSymbols, uploadSymbols),
  handle(contract.listToolSymbols, listToolSymbols),
  handle(contract.listBuildSymbols, listBuildSymbols),
  handle(contract.deleteBuildSymbols, deleteBuildSymbols),
  handle(contract.issueSymbolToken, issueSymbolToken),
  stream(contract.readSymbols, readSymbols),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(compileJob, compileSymbols, { lane: 'long' }),
  bindJob(countContentsJob, countOldContents, { lane: 'long' }),
  bindJob(sweepSymbolsJob, sweepSymbols, { cron: '47 * * * *', lane: 'long', deletesOld: true }),
];
