// Serves load balancers and monitors: whether the process runs, whether it can work, and its metrics.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Context } from '../context.ts';
import { isLoopbackAddress, isLoopbackName } from '../kernel/network/loopback.ts';
import { checkReadiness } from '../operate/operator/service-parts.ts';
import { hostnameOf } from '../request/origins.ts';

const METRICS_CLOSED =
  'Metrics are available only to programs on this machine. To read them from elsewhere or through a proxy, set CHAUFFEUR_METRICS_TOKEN.\n';

export function mountStatus(app: FastifyInstance, ctx: Context): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const checks = await checkReadiness(ctx);
    // The primary answers for a replica.
    const ready =
      !stopping &&
      Object.entries(checks).every(
        ([part, result]) => part === 'replica' || result === 'ok' || result === 'not configured',
      );
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : stopping ? 'stopping' : 'not ready', checks });
  });
  app.get('/metrics', async (request, reply) => {
    const { headers, socket } = request.raw;
    const access = metricsAccess(ctx.config.metricsToken, { headers, remoteAddress: socket.remoteAddress });
    if (access === 'token needed')
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .send('Send CHAUFFEUR_METRICS_TOKEN as a bearer token.\n');
    if (access === 'closed') return reply.code(403).send(METRICS_CLOSED);
    return reply.header('content-type', ctx.metrics.contentType).send(await ctx.metrics.read());
  });
}

type MetricsRequest = {
  /** The other end of the socket, which headers cannot change. */
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
};

type MetricsAccess = 'open' | 'token needed' | 'closed';

/** If a token is set, it is required from everywhere. */
export function metricsAccess(token: string | undefined, request: MetricsRequest): MetricsAccess {
  if (token === undefined) return isSameMachine(request) ? 'open' : 'closed';
  return isToken(token, request.headers.authorization) ? 'open' : 'token needed';
}

/** Headers by which proxies declare that they forward a request. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * A reverse proxy on this machine also connects from a loopback address. It is recognized by the headers that it adds,
 * or by the public name in Host, which it has to preserve. Checking Host also excludes pages whose name was made to
 * resolve to this machine (DNS rebinding).
 */
function isSameMachine({ remoteAddress, headers }: MetricsRequest): boolean {
  const isForwarded = FORWARDED.some((name) => headers[name] !== undefined);
  return !isForwarded && isLoopbackAddress(remoteAddress ?? '') && isLoopbackName(hostnameOf(headers));
}

function isToken(token: string, authorization = ''): boolean {
  const [, sent = ''] = /^bearer +(.+)$/i.exec(authorization.trim()) ?? [];
  const [expected, received] = [token, sent].map((text) => Buffer.from(text));
  return expected!.length === received!.length && timingSafeEqual(expected!, received!);
}

/** Serves only the status, on a separate port that proxies don't publish. */
export function createMetricsServer(ctx: Context): FastifyInstance {
  const app = Fastify({
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // A scrape that is in progress must not hold up the end of the process.
    forceCloseConnections: true,
  }) as unknown as FastifyInstance;
  mountStatus(app, ctx);
  return app;
}
