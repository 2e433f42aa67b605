// Serves the addresses of Sentry's SDKs, whose requests and responses have their own form. What they are refused is lost:
// clients repeat nothing, whatever the status, except that some wait for the end of Retry-After with what comes next.
import { CODES, errors } from '@chauffeur/contract/errors';
import { formatRateLimits, type RateLimit, UNUSED_CATEGORIES } from '@chauffeur/sentry/answers';
import type { Category } from '@chauffeur/sentry/envelope/kinds';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Received } from '../crash/sentry/receive/envelope.ts';
import { HOUR, SECOND } from '../kernel/clock.ts';
import { createRecent } from '../kernel/collections/cache.ts';
import { newId } from '../kernel/secrets/ids.ts';
import { perContext } from '../request/per-context.ts';
import { leaveBodiesUnread } from './body-parsers.ts';
import { PREFLIGHT_SECONDS } from './cross-origin.ts';
import { takeOrDefer } from './deferred/defer.ts';
import { sendError } from './send-error.ts';
import { ENDPOINTS, type Endpoint } from './sentry-endpoints.ts';

const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
  // A page that is isolated from other origins, as those of games with threads, reads nothing else.
  'cross-origin-resource-policy': 'cross-origin',
} as const;

export function mountSentry(app: FastifyInstance, ctx: Context): void {
  app.register(async (scope) => {
    leaveBodiesUnread(scope);
    for (const endpoint of ENDPOINTS) mountEndpoint(scope, ctx, endpoint);
  });
}

function mountEndpoint(app: FastifyInstance, ctx: Context, endpoint: Endpoint): void {
  const { operation, url } = endpoint;
  app.route<{ Params: { project?: string; key?: string } }>({
    method: 'POST',
    url,
    config: { operation, whileStopping: true },
    errorHandler: (error, request, reply) => sendSentryError(ctx, request, reply, error),
    handler: async (request, reply) => {
      const { project, key } = request.params;
      if (project !== undefined && !/^\d{1,18}$/.test(project)) throw errors.notFound('There is no such project.');
      const [, query = ''] = request.url.split('?', 2);
      const head = { headers: request.headers, query: new URLSearchParams(query), project, pathKey: key };
      const received = await takeOrDefer(ctx, endpoint, request, head);
      reply.headers(HEADERS);
      const limits = received === null ? [] : [...limitsOfSessions(received), ...limitsOfUnused(ctx, received)];
      if (limits.length > 0) reply.header('x-sentry-rate-limits', formatRateLimits(limits));
      if (received?.overLimit?.isAll === true) return refuseSessions(reply, limits[0]!.seconds);
      return (endpoint.isBareId ? sendBareId : sendId)(reply.code(200), received);
    },
  });
  app.options(url, { config: { operation } }, async (_request, reply) =>
    reply
      .code(204)
      .headers(HEADERS)
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', 'x-sentry-auth, content-type, content-encoding, authorization')
      .header('access-control-max-age', String(PREFLIGHT_SECONDS))
      .send(),
  );
}

/** All that the request had were sessions past the daily limit. */
function refuseSessions(reply: FastifyReply, seconds: number): FastifyReply {
  const detail = 'This game has reached its daily limit of sessions.';
  return reply
    .code(429)
    .headers({ 'retry-after': String(seconds), 'x-sentry-error': detail })
    .send({ detail, causes: [] });
}

function sendId(reply: FastifyReply, received: Received | null): FastifyReply {
  const id = received?.id ?? null;
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(id === null ? {} : { id }));
}

/** Crashpad keeps the whole body as the id of the report. */
function sendBareId(reply: FastifyReply, received: (Received & { readonly guid?: string }) | null): FastifyReply {
  const id = received?.guid || received?.id || newId();
  return reply.header('content-type', 'text/plain; charset=utf-8').send(id);
}

/** How long clients keep to themselves what nothing is made of. */
const STOP_SECONDS = HOUR / SECOND;
const MAX_DSNS = 10_000;

/** DSNs whose clients sent something that nothing is made of, and when. */
const wastefulOf = perContext(() => createRecent<string, number>(MAX_DSNS));

/** Clients obey this with any status. Only clients that send such things are asked, because some of them log it. */
function limitsOfUnused(ctx: Context, { sender, hasUnused }: Received): RateLimit[] {
  const wasteful = wastefulOf(ctx);
  const now = ctx.clock.now().getTime();
  if (hasUnused) wasteful.set(sender.dsnId, now);
  const age = now - (wasteful.get(sender.dsnId) ?? Number.NEGATIVE_INFINITY);
  const isWasteful = age >= 0 && age < HOUR;
  return isWasteful ? [{ seconds: STOP_SECONDS, categories: UNUSED_CATEGORIES, reason: 'not_used' }] : [];
}

function limitsOfSessions({ overLimit }: Received): RateLimit[] {
  if (overLimit === undefined) return [];
  return [{ seconds: waitOf(overLimit.seconds), categories: ['session'], reason: 'limit_reached' }];
}

/** The shortest time that clients have to wait: they send nothing again, so waiting is all that a refusal is for. */
const MIN_WAIT_SECONDS = 60;
/** Clients may start again in between. */
const MAX_WAIT_SECONDS = HOUR / SECOND;
const LIMITED: readonly Category[] = ['error', 'default', 'attachment'];

/**
 * A failure of ours is a limit, too: clients then wait with what comes next, and no client sends again what
 * failed.
 */
function sendSentryError(ctx: Context, request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  reply.headers(HEADERS);
  sendError(ctx, request, reply, thrown, CODES.unreadableBody, (error) => {
    const isFailure = error.status >= 500;
    const detail = isFailure ? 'The server cannot take reports at the moment.' : error.message;
    reply.header('x-sentry-error', oneLine(detail));
    if (isFailure || error.status === 429) {
      const seconds = waitOf(Number(error.data?.retry_after ?? 0));
      reply.code(429).header('retry-after', String(seconds));
      const reason = isFailure ? 'unavailable' : 'limit_reached';
      reply.header('x-sentry-rate-limits', formatRateLimits([{ seconds, categories: LIMITED, reason }]));
    }
    return { detail, causes: [] };
  });
  return reply;
}

function waitOf(seconds: number): number {
  return Math.min(MAX_WAIT_SECONDS, Math.max(MIN_WAIT_SECONDS, seconds));
}

/** Headers have only ASCII. */
function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ');
}
