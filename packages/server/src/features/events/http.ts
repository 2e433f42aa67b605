// The routes that games send events to: the public API’s, and the one that the engines’ own analytics module knows.
import type { OutputOf } from '@chauffeur/contract/operation';
import { createEvents } from '@chauffeur/contract/operations/events';
import type { FastifyRequest } from 'fastify';
import type { Caller, Context } from '../../context.ts';
import { countPublicPost } from '../../kernel/address-limit.ts';
import { type Answer, answer } from '../../kernel/answer.ts';
import { bodyDeadlineMs } from '../../kernel/bytes-parser.ts';
import { idsOf } from '../../kernel/client-ids.ts';
import { readJsonBody } from '../../kernel/json-body.ts';
import { accept } from './receive/accept.ts';
import { acceptEngine } from './receive/engine.ts';
import { refuse, takeEvents } from './receive/take.ts';

type Taken = Answer<OutputOf<typeof createEvents>>;

/** `POST …/public/events`. */
export async function receiveEvents(ctx: Context, _caller: Caller, request: FastifyRequest): Promise<Taken> {
  const verdict = accept({ ...idsOf(request), body: await readBody(ctx, request) });
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  return answer(202, await takeEvents(ctx, [verdict.accepted]));
}

/** `POST /v1/events`: no address can be set there but the host’s, and no headers, so it is no operation of the API. */
export const engineEvents = { ...createEvents, id: 'events.createByEngine' } as const;

export async function receiveEngineEvents(ctx: Context, _caller: Caller, request: FastifyRequest): Promise<Taken> {
  const verdict = acceptEngine(await readBody(ctx, request), idsOf(request));
  if ('refused' in verdict) throw refuse(ctx, verdict.refused);
  return answer(202, await takeEvents(ctx, verdict.accepted));
}

function readBody(ctx: Context, request: FastifyRequest): unknown {
  try {
    countPublicPost(ctx, request);
  } catch (error) {
    ctx.metrics.eventRefusals.inc({ rule: 'address_limit' });
    throw error;
  }
  return readJsonBody(request, { deadlineMs: bodyDeadlineMs(ctx.config) });
}
