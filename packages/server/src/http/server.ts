// The HTTP server: request ids, logs, metrics, health, accounts and the mounted operations.
import { ApiError } from '@chauffeur/contract/errors';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Context } from '../context.ts';
import type { Auth } from '../features/accounts/accounts.ts';
import { newId } from '../kernel/ids.ts';
import { mountAccounts } from './accounts.ts';
import { addBodyParsers } from './body.ts';
import { answerClientError } from './client-error.ts';
import { sendError } from './errors.ts';
import { homePage } from './home.ts';
import { type Mounting, mountOperations } from './mount.ts';
import { mountOAuth } from './oauth.ts';
import { openApiOf } from './openapi/openapi.ts';
import { keepPlayHostApart, mountPlay } from './play.ts';
import { addResponseHeaders } from './response-headers.ts';
import { mountStatus } from './status.ts';
import { mountWebsite } from './website.ts';

const JSON_BODY_BYTES = 1024 * 1024;
/** Node's limit for the head of a request. */
const MAX_ADDRESS_LENGTH = 16 * 1024;
/** How long a refused request may go on sending its body, so that its sender gets to read the answer. */
const LINGER_MS = 5000;

/** `mountMore` adds what is served beside the API and the website. */
export function createHttpServer(
  ctx: Context,
  auth: Auth,
  mountings: readonly Mounting[],
  mountMore: (app: FastifyInstance) => void,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: ctx.log,
    // One line for each request of ours, when it ends: see recordRequest.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId(),
    trustProxy: trustOf(ctx.config.trustProxy),
    bodyLimit: JSON_BODY_BYTES,
    // An upload of 5 GB takes as long as it takes; uploads have an idle time-out of their own.
    requestTimeout: 0,
    // Fastify's own refusal while closing has another shape than our errors: see refuseWhileStopping.
    return503OnClosing: false,
    // As long as the address may be: the schema of the operation refuses what is too long, with the operation's own code.
    routerOptions: { maxParamLength: MAX_ADDRESS_LENGTH, ignoreTrailingSlash: true },
    clientErrorHandler: (error, socket) => answerClientError(ctx.log, error, socket),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendError(ctx, request, reply, error);
    },
  }) as unknown as FastifyInstance;
  // Node would refuse any expectation but 100-continue with a bare 417; RFC 9110, section 10.1.1, allows ignoring it.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  addBodyParsers(app, ctx);
  addHooks(app, ctx);
  keepPlayHostApart(app, ctx);
  refuseWhileStopping(app);
  mountStatus(app, ctx);
  mountAccounts(app, ctx, auth);
  mountOAuth(app, ctx, auth);
  mountMore(app);
  mountOperations(app, ctx, auth, mountings);
  // Written when it is first read: most processes never serve it.
  let openApi: string | undefined;
  app.get('/api/v1/openapi.json', async (_request, reply) => {
    openApi ??= JSON.stringify(openApiOf(OPERATIONS, ctx.publicUrl));
    return reply.header('content-type', 'application/json; charset=utf-8').send(openApi);
  });
  mountPlay(app, ctx);
  const website = mountWebsite(app, ctx, auth);
  if (website === undefined)
    app.get('/', async (_request, reply) => reply.header('content-type', 'text/html; charset=utf-8').send(homePage));
  app.setNotFoundHandler((request, reply) =>
    website?.wants(request)
      ? website.send(request, reply)
      : sendError(ctx, request, reply, new ApiError(4040, 'There is no such route; see /api/v1/openapi.json.')),
  );
  app.setErrorHandler((error, request, reply) => sendError(ctx, request, reply, error));
  return app;
}

/**
 * Trusts the addresses that the proxies in front wrote, which are the last of X-Forwarded-For, and none before them: those came with the request,
 * and anyone can write them.
 */
function trustOf(proxies: number): false | ((address: string, hop: number) => boolean) {
  return proxies > 0 && ((_address, hop) => hop < proxies);
}

function addHooks(app: FastifyInstance, ctx: Context): void {
  app.decorateRequest('caller', null as never);
  addResponseHeaders(app, ctx);
  app.addHook('onResponse', async (request, reply) => {
    endRefusedBody(request);
    recordRequest(ctx, request, reply);
  });
}

/** A stopping server ends what is under way and takes nothing new, also on connections that were open before. */
function refuseWhileStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onRequest', async (_request, reply) => {
    if (!stopping) return;
    reply.header('connection', 'close');
    throw new ApiError(5030, 'The server is stopping; try again in a few seconds.');
  });
  // Else the connection of a request that was under way would stay open, waiting for the next one.
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
}

/** Node reads and drops the rest of a body whose request was answered; not for longer than it takes to notice. */
function endRefusedBody(request: FastifyRequest): void {
  const { raw } = request;
  if (raw.complete || raw.destroyed) return;
  raw.resume();
  const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
}

function recordRequest(ctx: Context, request: FastifyRequest, reply: FastifyReply): void {
  const operation = request.routeOptions.config?.operation ?? 'other';
  ctx.metrics.requests.observe({ operation, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  if (operation === 'other') return;
  const caller = request.caller as typeof request.caller | null;
  const game = caller?.kind === 'game' ? { game: caller.gameId, keyRef: caller.keyRef } : {};
  request.log.info({ operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ...game }, 'request');
}
