// Serves load balancers and monitors: whether the process runs, whether it can work, and its metrics.
import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { checkParts } from '../operate/operator/readiness.ts';
import { metricsAccess } from './metrics-access.ts';

const METRICS_CLOSED =
  'Metrics are available only to programs on this machine. To read them from elsewhere or through a proxy, set CHAUFFEUR_METRICS_TOKEN.\n';

export function mountStatus(app: FastifyInstance, ctx: Context): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const checks = await checkParts(ctx);
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
