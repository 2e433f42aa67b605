// The routes that games send events to: the public API’s, and the one that the engines’ own analytics module knows.
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { createEngineEvents, createEvents } from '@chauffeur/contract/operations/events';
import type { FastifyRequest } from 'fastify';
import type { Caller, Context } from '../../context.ts';
import { countPublicPost } from '../../kernel/address-limit.ts';
import { type Answer, answer } from '../../kernel/answer.ts';
import { bodyDeadlineMs } from '../../kernel/bytes-parser.ts';
import { idsOf } from '../../kernel/client-ids.ts';
import { readJsonBody } from '../../kernel/json-body.ts';
import { resolveClientIds } from '../games/games.ts';
import { accept, NO_EVENTS } from './receive/accept.ts';
import { readEngineEvents } from './receive/engine.ts';
import { refuse, takeEvents } from './receive/take.ts';
import { takeEngineEvents } from './receive/take-engine.ts';

/** `POST …/public/events`. */
export async function receiveEvents(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
): Promise<Answer<OutputOf<typeof createEvents>>> {
  const body = await readBody(ctx, request, MIB);
  const verdict = accept({ ...(await resolveClientIds(ctx, idsOf(request))), body });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  return answer(202, await takeEvents(ctx, [verdict.accepted]));
}

/** `POST /v1/events`: that module can be given no address but the host’s, and sets no headers. */
export async function receiveEngineEvents(
  ctx: Context,
  _caller: Caller,
  request: FastifyRequest,
): Promise<Answer<OutputOf<typeof createEngineEvents>>> {
  const body = await readBody(ctx, request, LIMITS.engineEventBytes);
  const events = readEngineEvents(body, idsOf(request));
  if (events === null) throw refuse(ctx, { rule: 'no_events', code: 4001, message: NO_EVENTS });
  return answer(202, await takeEngineEvents(ctx, events));
}

function readBody(ctx: Context, request: FastifyRequest, maxBytes: number): unknown {
  try {
    countPublicPost(ctx, request);
  } catch (error) {
    ctx.metrics.eventRefusals.inc({ rule: 'address_limit' });
    throw error;
  }
  return readJsonBody(request, { deadlineMs: bodyDeadlineMs(ctx.config), maxBytes });
}
