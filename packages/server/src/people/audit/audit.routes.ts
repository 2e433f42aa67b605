// Binds the operations and jobs of the audit log to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/audit';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route, stream } from '../../request/route.ts';
import {
  exportAuditEntries,
  exportOrganisationAuditEntries,
  exportServiceAuditEntries,
  listAuditEntries,
  listOrganisationAuditEntries,
  listServiceAuditEntries,
} from './audit.ts';
import { auditRetentionJob, expireAudit } from './retention.job.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.listAuditEntries, listAuditEntries),
  stream(contract.exportAuditEntries, exportAuditEntries),
  handle(contract.listOrganisationAuditEntries, listOrganisationAuditEntries),
  stream(contract.exportOrganisationAuditEntries, exportOrganisationAuditEntries),
  handle(contract.listServiceAuditEntries, listServiceAuditEntries),
  stream(contract.exportServiceAuditEntries, exportServiceAuditEntries),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(auditRetentionJob, expireAudit, { cron: '17 4 * * *', lane: 'long', deletesOld: true }),
];
