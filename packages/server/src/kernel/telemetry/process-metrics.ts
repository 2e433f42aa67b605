// Sets the metrics of what this process uses: connections to the database, and threads.
import type pg from 'pg';
import { threadCounts } from '../threads/thread-counts.ts';
import type { Metrics } from './metrics.ts';

export function watchProcess(metrics: Metrics, pool: pg.Pool): void {
  metrics.poolSize.set(pool.options.max);
  metrics.onRead(() => {
    metrics.poolConnections.set({ state: 'idle' }, pool.idleCount);
    metrics.poolConnections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    metrics.poolWaiting.set(pool.waitingCount);
    readThreads(metrics);
  });
}

function readThreads({ threadsBusy, threadsStarted, threadTasks }: Metrics): void {
  threadsStarted.clear();
  threadTasks.clear();
  for (const [thread, { busy, started, tasks }] of threadCounts()) {
    threadsBusy.set({ thread }, busy);
    threadsStarted.inc({ thread }, started);
    for (const outcome of ['done', 'failed', 'timeout', 'memory', 'crashed'] as const)
      threadTasks.inc({ thread, outcome }, tasks[outcome]);
  }
}
