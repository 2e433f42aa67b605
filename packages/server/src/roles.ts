// Starts what a process runs in its role: requests, jobs, or both.
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Context } from './context.ts';
import { writeSentryCounts } from './crash/sentry/receive/counts.ts';
import { createHttpServer } from './http/server.ts';
import { createMetricsServer } from './http/status.ts';
import type { Closers } from './kernel/processes/closers.ts';
import type { Log } from './kernel/telemetry/log.ts';
import { watchProcess } from './kernel/telemetry/metrics.ts';
import { mountMcp } from './mcp/mcp.ts';
import { endStreams } from './notify/live/open-streams.ts';
import { watchState } from './operate/operator/state-metrics.ts';
import type { Auth } from './people/accounts/accounts.ts';
import { JOBS, ROUTES } from './registry.ts';
import { stopChanges } from './request/game-changes.ts';
import { shareLimits } from './request/share-limits.ts';
import { writeRefusals } from './ship/refusals/refusals.ts';
import { mountWebsite } from './site/website.ts';
import { startWorker } from './worker/run.ts';

/**
 * `start` runs everything in one process; `api` and `worker` split it; `admin` runs a single command and serves
 * nothing.
 */
export type Role = 'start' | 'api' | 'worker' | 'admin';

const SWEEP_MS = 100;
/** The time, in addition to its grace period, for the server to notice that aborted connections are gone. */
const CUT_SECONDS = 10;

/**
 * Starts the worker and the HTTP server of the role. Returns whether requests are served. Both stop at the same time.
 */
export async function startRole(
  ctx: Context,
  auth: Auth,
  pool: pg.Pool,
  role: Role,
  closers: Closers,
): Promise<boolean> {
  const { host, port, metricsPort, shutdownSeconds } = ctx.config;
  watchState(ctx);
  watchProcess(ctx.metrics, pool);
  if (metricsPort !== undefined) {
    const metricsServer = createMetricsServer(ctx);
    closers.add({ name: 'metrics server', seconds: CUT_SECONDS, close: () => metricsServer.close() });
    await metricsServer.listen({ host, port: metricsPort });
  }
  const server =
    role === 'start' || role === 'api'
      ? createHttpServer(ctx, auth, ROUTES, (http) => {
          mountMcp(http, ctx, auth, ROUTES);
          return mountWebsite(http, ctx, auth, ROUTES);
        })
      : undefined;
  if (server !== undefined) {
    const sharing = shareLimits(ctx);
    closers.add({ name: 'shared limits', seconds: CUT_SECONDS, close: () => sharing.stop() });
  }
  const worker = role === 'start' || role === 'worker' ? await startWorker(ctx, pool, JOBS) : undefined;
  // This closes after requests and jobs, which note changes.
  closers.add({ name: 'changes of games', seconds: CUT_SECONDS, close: () => stopChanges(ctx) });
  closers.add({ name: 'refused reports and events', seconds: CUT_SECONDS, close: () => writeRefusals(ctx) });
  closers.add({ name: "counts of Sentry's SDKs", seconds: CUT_SECONDS, close: () => writeSentryCounts(ctx) });
  const waiting = { graceSeconds: shutdownSeconds, seconds: CUT_SECONDS };
  closers.add(
    ...(worker === undefined ? [] : [{ name: 'worker', ...waiting, close: () => worker.stop() }]),
    ...(server === undefined
      ? []
      : [
          {
            name: 'HTTP server',
            ...waiting,
            close: (graceSeconds: number) => closeServer(server, ctx.log, graceSeconds),
          },
        ]),
  );
  // These close before the server, which waits for requests in progress.
  if (server !== undefined) closers.add({ name: 'open streams', seconds: CUT_SECONDS, close: () => endStreams(ctx) });
  await server?.listen({ host, port });
  return server !== undefined;
}

/** Waits up to `graceSeconds` for requests in progress, then aborts them. */
async function closeServer(http: FastifyInstance, log: Log, graceSeconds: number): Promise<void> {
  const timer = setTimeout(() => {
    log.warn('uploads were still in progress at the end of the shutdown time');
    http.server.closeAllConnections();
  }, graceSeconds * 1000);
  // After a response that began before the stop, such as a download, a connection would stay open for the client's next
  // request for over a minute.
  const sweep = setInterval(() => http.server.closeIdleConnections(), SWEEP_MS);
  try {
    await http.close();
  } finally {
    clearTimeout(timer);
    clearInterval(sweep);
  }
}
