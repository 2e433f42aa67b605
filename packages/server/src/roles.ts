// What a process of the service takes in its role: requests, jobs, or both.
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Context } from './context.ts';
import type { Auth } from './features/accounts/accounts.ts';
import { FURTHER_MOUNTINGS, JOBS, MOUNTINGS } from './features.ts';
import { createHttpServer } from './http/server.ts';
import type { Closers } from './kernel/closers.ts';
import type { Log } from './kernel/log.ts';
import { mountMcp } from './mcp/mcp.ts';
import { startWorker } from './worker/run.ts';

/** `start` is all in one process; `api` and `worker` split it; `admin` is for one command, and takes neither. */
export type Role = 'start' | 'api' | 'worker' | 'admin';

const SWEEP_MS = 100;
/** Beyond its patience, for the server to see that the connections that were cut then are gone. */
const CUT_SECONDS = 10;

/** Starts what takes jobs and requests; answers whether requests are taken. Both end what is under way at the same time. */
export async function startRole(
  ctx: Context,
  auth: Auth,
  pool: pg.Pool,
  role: Role,
  closers: Closers,
): Promise<boolean> {
  const { host, port, shutdownSeconds } = ctx.config;
  const server =
    role === 'start' || role === 'api'
      ? createHttpServer(ctx, auth, [...MOUNTINGS, ...FURTHER_MOUNTINGS], (http) =>
          mountMcp(http, ctx, auth, MOUNTINGS),
        )
      : undefined;
  const worker = role === 'start' || role === 'worker' ? await startWorker(ctx, pool, JOBS) : undefined;
  const waiting = { patience: shutdownSeconds, seconds: CUT_SECONDS };
  closers.add(
    ...(worker === undefined ? [] : [{ name: 'worker', ...waiting, close: () => worker.stop() }]),
    ...(server === undefined
      ? []
      : [{ name: 'HTTP server', ...waiting, close: (patience: number) => closeServer(server, ctx.log, patience) }]),
  );
  await server?.listen({ host, port });
  return server !== undefined;
}

/** Lets requests under way end for `patience` seconds; then cuts them off. */
async function closeServer(http: FastifyInstance, log: Log, patience: number): Promise<void> {
  const timer = setTimeout(() => {
    log.warn('uploads were still under way when the time to stop was over');
    http.server.closeAllConnections();
  }, patience * 1000);
  // An answer that had begun before, such as a download, keeps its connection open for the client's next request: for over a
  // minute.
  const sweep = setInterval(() => http.server.closeIdleConnections(), SWEEP_MS);
  try {
    await http.close();
  } finally {
    clearTimeout(timer);
    clearInterval(sweep);
  }
}
