// Binds the operations of deploy keys and upload tokens to the functions that serve them.
import * as contract from '@chauffeur/contract/operations/deploy-keys';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { announceKey, announceKeyJob } from './announce.job.ts';
import { issueDeployKey, listDeployKeys } from './deploy-keys.ts';
import { createUploadToken, listUploadTokens, renameUploadToken, revokeUploadToken } from './upload-tokens.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.issueDeployKey, issueDeployKey),
  handle(contract.listDeployKeys, listDeployKeys),
  handle(contract.createUploadToken, createUploadToken),
  handle(contract.listUploadTokens, listUploadTokens),
  handle(contract.renameUploadToken, renameUploadToken),
  handle(contract.revokeUploadToken, revokeUploadToken),
];

export const JOBS: readonly JobBinding<Context>[] = [bindJob(announceKeyJob, announceKey)];
