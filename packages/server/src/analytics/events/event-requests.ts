// The handlers for events from games: through the public API, or from the analytics modules of engines.
import { CODES } from '@chauffeur/contract/errors';
import type { Operation } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/events';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { resolveClientIds } from '../../people/client-ids/client-ids.ts';
import { countPublicPost } from '../../request/address-limit.ts';
import { idsOf } from '../../request/client-ids.ts';
import { readJsonBody } from '../../request/json.ts';
import { answer } from '../../request/perform.ts';
import { stream } from '../../request/route.ts';
import { accept, NO_EVENTS } from './receive/accept.ts';
import { readEngineEvents } from './receive/engine.ts';
import { ingestEvents, refuse } from './receive/ingest.ts';
import { ingestEngineEvents } from './receive/ingest-engine.ts';

/** `POST …/public/events`. */
export const receiveEvents = stream(contract.createEvents, async (ctx, { request }) => {
  const body = await readBody(ctx, contract.createEvents, request);
  const verdict = accept({ ...(await resolveClientIds(ctx, idsOf(request))), body });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  return answer(202, await ingestEvents(ctx, [verdict.accepted]));
});

/** `POST /v1/events`. An analytics module sends no headers, and only its host can be configured. */
export const receiveEngineEvents = stream(
  contract.createEngineEvents,
  async (ctx, { request }) => {
    const body = await readBody(ctx, contract.createEngineEvents, request);
    const events = readEngineEvents(body, idsOf(request));
    if (events === null) throw refuse(ctx, { rule: 'no_events', code: CODES.unreadableBody, message: NO_EVENTS });
    return answer(202, await ingestEngineEvents(ctx, events));
  },
  '/v1/events',
);

function readBody(ctx: Context, operation: Operation, request: FastifyRequest): Promise<unknown> {
  try {
    countPublicPost(ctx, request);
  } catch (error) {
    ctx.metrics.eventRefusals.inc({ rule: 'address_limit' });
    throw error;
  }
  return readJsonBody(ctx, operation, request);
}
