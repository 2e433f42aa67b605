// Writes docs/metrics.md: every metric of the server with its meaning and labels.
import type { MetricDefinition } from '../../packages/server/src/kernel/telemetry/define-metric.ts';
import { METRIC_GROUPS } from '../../packages/server/src/kernel/telemetry/metric-table.ts';
import { code, notice, page } from './markdown.ts';

const INTRODUCTION = `Prometheus reads these metrics from \`/metrics\`, as [Monitor the server](monitor.md#metrics) describes.

- Counters and histograms belong to one process and start at 0 with it. Add them up over all processes.
- Metrics that are read **from the database** have the same value in each process. Use \`max\`, not \`sum\`. They are read
  at most every few seconds, and are absent while the database does not respond.
- Labels never contain ids of games or anything that clients sent, so the number of series is limited.`;

const PROCESS = `Metrics of the process and of Node have the usual names of Prometheus, such as \`process_resident_memory_bytes\`,
\`process_start_time_seconds\`, \`nodejs_eventloop_lag_p99_seconds\` and \`nodejs_gc_duration_seconds\`.`;

export function writeMetrics(): string {
  const groups = Object.entries<Readonly<Record<string, MetricDefinition>>>(METRIC_GROUPS).flatMap(
    ([title, metrics]) => [`## ${title}`, Object.values(metrics).map(writeMetric).join('\n')],
  );
  return page(
    notice('packages/server/src/kernel/telemetry/metric-table.ts'),
    '# Metrics',
    INTRODUCTION,
    ...groups,
    '## Process',
    PROCESS,
  );
}

/** Not a table: the names are so long that they would be broken on any screen. */
function writeMetric({ name, kind, labels, help }: MetricDefinition): string {
  const lines = Object.entries(labels).map(
    ([label, values]) => `  - ${code(label)}: ${typeof values === 'string' ? values : values.map(code).join(', ')}`,
  );
  return [`- **${code(name)}** (${kind}): ${help}`, ...lines].join('\n');
}
