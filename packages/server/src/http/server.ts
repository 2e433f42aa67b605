// The HTTP server: request ids, logs, metrics, health, accounts and the mounted operations.

import { errors } from '@chauffeur/contract/errors';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onSendHookHandler,
} from 'fastify';
import type { Context } from '../context.ts';
import { newId } from '../kernel/secrets/ids.ts';
import { METRICS } from '../kernel/telemetry/metric-table.ts';
import type { Auth } from '../people/accounts/accounts.ts';
import type { Route } from '../request/route.ts';
import { mountAccounts } from './account-routes.ts';
import { addBodyParsers } from './body-parsers.ts';
import { mountOperations } from './mount.ts';
import { mountOAuth } from './oauth-routes.ts';
import { openApiOf } from './openapi/openapi.ts';
import { keepPlayHostApart, mountPlay } from './play.ts';
import { refuseAmbiguousHeads } from './request-head.ts';
import { answerClientError, sendError } from './send-error.ts';
import { mountSentryCli } from './sentry-cli-routes.ts';
import { mountSentry } from './sentry-routes.ts';
import { mountSigningKeys } from './signing-keys-route.ts';
import { mountStatus } from './status.ts';
import { requestSpanOf, traceRequests } from './tracing.ts';

const JSON_BODY_BYTES = 1024 * 1024;
/** Node's limit for the request line and headers. */
const MAX_ADDRESS_LENGTH = 16 * 1024;
/** How long a rejected request may continue sending its body, so that its sender can read the response. */
const LINGER_MS = 5000;

/** Answers requests that match no route with pages. */
export type Pages = {
  /** Whether the request should get a page, even one that says that there is none. */
  wants(request: FastifyRequest): boolean;
  /** Sends the page, with 404 if it does not exist or is not visible to this visitor. */
  send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
};

/** `mountMore` adds the routes that are not operations, and returns the pages if there are any. */
export function createHttpServer(
  ctx: Context,
  auth: Auth,
  routes: readonly Route[],
  mountMore: (app: FastifyInstance) => Pages | undefined,
): FastifyInstance {
  const app = Fastify({
    loggerInstance: ctx.log,
    // recordRequest logs one line of our own for each request.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => newId(),
    trustProxy: trustOf(ctx.config.trustProxy),
    bodyLimit: JSON_BODY_BYTES,
    // Node's refusal has no body; refuseAmbiguousHeads sends ours.
    http: { requireHostHeader: false },
    // An upload of 5 GB may take any time; uploads have their own idle timeout.
    requestTimeout: 0,
    // Fastify's response has another format than our errors; refuseWhileStopping sends ours.
    return503OnClosing: false,
    // A parameter may be as long as a URL: a parameter that is too long fails the operation's schema, with the
    // operation's own code.
    routerOptions: { maxParamLength: MAX_ADDRESS_LENGTH, ignoreTrailingSlash: true },
    clientErrorHandler: (error, socket) => answerClientError(ctx.log, error, socket),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id);
      sendError(ctx, request, reply, error);
    },
  }) as unknown as FastifyInstance;
  // Node would respond to any expectation except 100-continue with a bare 417. RFC 9110, section 10.1.1, allows
  // ignoring it.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  addBodyParsers(app, ctx);
  addHooks(app, ctx);
  refuseAmbiguousHeads(app);
  keepPlayHostApart(app, ctx);
  refuseWhileStopping(app);
  mountStatus(app, ctx);
  mountSigningKeys(app, ctx);
  mountAccounts(app, ctx, auth);
  mountOAuth(app, ctx, auth);
  mountOperations(app, ctx, auth, routes);
  mountSentry(app, ctx);
  mountSentryCli(app, ctx);
  // Generated at the first request, because most processes never serve it.
  let openApi: string | undefined;
  app.get('/api/v1/openapi.json', async (_request, reply) => {
    openApi ??= JSON.stringify(openApiOf(OPERATIONS, ctx.publicUrl));
    return reply.header('content-type', 'application/json; charset=utf-8').send(openApi);
  });
  mountPlay(app, ctx);
  const pages = mountMore(app);
  app.setNotFoundHandler((request, reply) =>
    pages?.wants(request)
      ? pages.send(request, reply)
      : sendError(ctx, request, reply, errors.notFound('This route does not exist. See /api/v1/openapi.json.')),
  );
  app.setErrorHandler((error, request, reply) => sendError(ctx, request, reply, error));
  return app;
}

/**
 * Trusts the addresses that our proxies added, which are the last in X-Forwarded-For. Those before came with the
 * request, and could be forged.
 */
function trustOf(proxies: number): false | ((address: string, hop: number) => boolean) {
  return proxies > 0 && ((_address, hop) => hop < proxies);
}

function addHooks(app: FastifyInstance, ctx: Context): void {
  app.decorateRequest('caller', null as never);
  app.decorateRequest('checkAccess', null as never);
  addResponseHeaders(app, ctx);
  traceRequests(app, ctx);
  app.addHook('onRequest', (_request, reply, done) => {
    ctx.metrics.requestsInProgress.inc();
    // Also if the client leaves before the end of the response.
    reply.raw.once('close', () => ctx.metrics.requestsInProgress.dec());
    done();
  });
  app.addHook('onResponse', async (request, reply) => {
    endRefusedBody(request);
    recordRequest(ctx, request, reply);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether requests are served while the server stops, because their clients would not repeat them. */
    whileStopping?: boolean;
  }
}

/** While stopping, the server completes requests in progress and rejects new ones, even on open connections. */
function refuseWhileStopping(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    if (!stopping || request.routeOptions.config.whileStopping === true) return;
    reply.header('connection', 'close');
    throw errors.unavailable('The server is stopping. Try again in a few seconds.');
  });
  // Otherwise the connection would stay open after the request, waiting for the next one.
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
}

/** After a response, Node reads and discards the rest of the body; this limits how long. */
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
  const labels = { operation, method: methodOf(request), status: statusClassOf(reply.statusCode) };
  ctx.metrics.requests.observe(labels, reply.elapsedTime / 1000);
  if (operation === 'other') return;
  const caller = request.caller as typeof request.caller | null;
  const game = caller?.kind === 'game' ? { game: caller.gameId, keyRef: caller.keyRef, user: caller.user?.id } : {};
  const trace = requestSpanOf(request)?.traceId;
  const line = { operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime), ...game };
  request.log.info(trace === undefined ? line : { ...line, trace }, 'request');
}

const METHODS = METRICS.requests.labels.method;
const STATUS_CLASSES = METRICS.requests.labels.status;

/** Never what a client made up, because each value is a separate series. */
function methodOf({ method }: FastifyRequest): (typeof METHODS)[number] {
  return METHODS.find((known) => known === method) ?? 'other';
}

function statusClassOf(status: number): (typeof STATUS_CLASSES)[number] {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? '5xx';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether responses of the route contain secrets, which must not be cached. */
    secret?: boolean;
  }
}

/**
 * One year, as browsers recommend. Without `includeSubDomains`, because other hosts below this name are not ours to
 * decide about (RFC 6797, section 6.1).
 */
const HSTS = 'max-age=31536000';

function addResponseHeaders(app: FastifyInstance, ctx: Context): void {
  const hasHttps = ctx.publicUrl.startsWith('https:');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (hasHttps) reply.header('strict-transport-security', HSTS);
  });
  app.addHook('onRoute', (route) => {
    if (route.config?.secret === true) route.onSend = [forbidStoring, ...[route.onSend ?? []].flat()];
  });
}

/** Added when the response is sent, so that no handler can weaken it and errors have it as well. */
const forbidStoring: onSendHookHandler = (_request, reply, payload, done) => {
  reply.header('cache-control', 'no-store');
  done(null, payload);
};
