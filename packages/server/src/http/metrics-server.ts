// Serves only /health, /ready and /metrics, on a separate port: workers serve nothing else.
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Context } from '../context.ts';
import { mountStatus } from './status.ts';

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
