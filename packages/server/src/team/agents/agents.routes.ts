// Binds the operations and jobs of agents to the functions that serve and run them.
import * as contract from '@chauffeur/contract/operations/agents';
import type { Context } from '../../context.ts';
import { bindJob, type JobBinding } from '../../kernel/jobs/binding.ts';
import { handle, type Route } from '../../request/route.ts';
import { listAgentCalls, listOwnAgentCalls } from './calls.ts';
import { connectAgent, disconnectAgent, getAgentClient, listAgentConnections } from './connections.ts';
import { createAgentKey, listAgentKeys, revokeAgentKey } from './keys.ts';
import { agentRetentionJob, forgetAgents } from './retention.job.ts';

export const ROUTES: readonly Route[] = [
  handle(contract.createAgentKey, createAgentKey),
  handle(contract.listAgentKeys, listAgentKeys),
  handle(contract.revokeAgentKey, revokeAgentKey),
  handle(contract.getAgentClient, getAgentClient),
  handle(contract.connectAgent, connectAgent),
  handle(contract.listAgentConnections, listAgentConnections),
  handle(contract.disconnectAgent, disconnectAgent),
  handle(contract.listAgentCalls, listAgentCalls),
  handle(contract.listOwnAgentCalls, listOwnAgentCalls),
];

export const JOBS: readonly JobBinding<Context>[] = [
  bindJob(agentRetentionJob, forgetAgents, { cron: '53 3 * * *', lane: 'long', deletesOld: true }),
];
