// Serves load balancers and monitors: whether the process runs, whether it can work, and its metrics.
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { rows } from '../kernel/database/db.ts';
import { createClamdScanner } from '../kernel/scanner/clamd.ts';
import { metricsAccess } from './metrics-access.ts';

const CHECK_MS = 3000;
const METRICS_CLOSED =
  'Metrics are available only to programs on this machine. To read them from elsewhere or through a proxy, set CHAUFFEUR_METRICS_TOKEN.\n';

export function mountStatus(app: FastifyInstance, ctx: Context): void {
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_request, reply) => {
    const checks = await runChecks(ctx);
    const ready = !stopping && Object.values(checks).every((result) => result === 'ok' || result === 'not configured');
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
    return reply.header('content-type', ctx.metrics.registry.contentType).send(await ctx.metrics.registry.metrics());
  });
}

/** The state of each part. The reason for a failure is logged instead of returned. */
async function runChecks(ctx: Context): Promise<Record<string, string>> {
  const { clamd, clamdStreamLimit: streamLimit } = ctx.config;
  const parts: Record<string, (() => Promise<unknown>) | undefined> = {
    database: () => rows(ctx.db, sql`select 1`),
    blobs: () => ctx.blobs.check(),
    scanner: clamd === undefined ? undefined : () => createClamdScanner({ address: clamd, streamLimit }).ping(),
  };
  const results = Object.entries(parts).map(async ([name, check]) => [name, await stateOf(ctx, name, check)]);
  return Object.fromEntries(await Promise.all(results));
}

async function stateOf(ctx: Context, name: string, check: (() => Promise<unknown>) | undefined): Promise<string> {
  if (check === undefined) return 'not configured';
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no response within ${CHECK_MS} ms`)), CHECK_MS);
  try {
    await Promise.race([check(), late]);
    return 'ok';
  } catch (err) {
    ctx.log.warn({ err, part: name }, 'readiness check failed');
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
