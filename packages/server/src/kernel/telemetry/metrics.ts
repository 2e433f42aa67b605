// The registry of all metrics, in the text format of Prometheus.
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { threadCounts } from '../threads/threads.ts';
import type {
  CounterDefinition,
  GaugeDefinition,
  HistogramDefinition,
  Labels,
  MetricDefinition,
} from './define-metric.ts';
import { METRICS } from './metric-table.ts';

/** The value of each label: one of those listed in the table. */
type ValuesOf<L extends Labels> = {
  readonly [Name in keyof L]: L[Name] extends readonly (infer Value)[] ? Value : string | number;
};
/** The labels come first, if there are any. */
type WithLabels<L extends Labels, Rest extends readonly unknown[]> = keyof L extends never
  ? Rest
  : [labels: ValuesOf<L>, ...rest: Rest];

type TypedCounter<L extends Labels> = {
  inc(...args: WithLabels<L, [count?: number]>): void;
  /** Removes all values. */
  clear(): void;
};
type TypedGauge<L extends Labels> = {
  inc(...args: WithLabels<L, [count?: number]>): void;
  dec(...args: WithLabels<L, [count?: number]>): void;
  set(...args: WithLabels<L, [value: number]>): void;
  /** Removes all values. */
  clear(): void;
};
type TypedHistogram<L extends Labels> = {
  observe(...args: WithLabels<L, [seconds: number]>): void;
};

type MetricOf<D> =
  D extends CounterDefinition<infer L>
    ? TypedCounter<L>
    : D extends GaugeDefinition<infer L>
      ? TypedGauge<L>
      : D extends HistogramDefinition<infer L>
        ? TypedHistogram<L>
        : never;

/** Sets gauges. Must not throw. */
type Update = () => void | Promise<void>;

export type Metrics = { readonly [Name in keyof typeof METRICS]: MetricOf<(typeof METRICS)[Name]> } & {
  readonly contentType: string;
  /** All metrics as text. */
  read(): Promise<string>;
  /** Adds a function that is called before each read. */
  onRead(update: Update): void;
};

/** Creates a separate set of metrics for each service, so that two in one process do not share counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const updates: Update[] = [];
  collectDefaultMetrics({ register: registry });
  const metrics = Object.fromEntries(
    Object.entries<MetricDefinition>(METRICS).map(([name, definition]) => [name, createMetric(definition, registry)]),
  );
  return {
    ...(metrics as unknown as Metrics),
    contentType: registry.contentType,
    async read() {
      await Promise.all(updates.map((update) => update()));
      return registry.metrics();
    },
    onRead: (update) => void updates.push(update),
  };
}

function createMetric({ kind, name, help, labels, buckets = [] }: MetricDefinition, registry: Registry): object {
  const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (kind === 'gauge') {
    const gauge = new Gauge(options);
    const clear = () => (options.labelNames.length === 0 ? gauge.remove() : gauge.reset());
    return Object.assign(gauge, { clear });
  }
  // Series start at 0. Otherwise the first failure would not be an increase.
  if (kind === 'counter') {
    const counter = new Counter(options);
    for (const values of seriesOf(labels)) counter.inc(values, 0);
    return Object.assign(counter, { clear: () => counter.reset() });
  }
  const histogram = new Histogram({ ...options, buckets: [...buckets] });
  for (const values of seriesOf(labels)) histogram.zero(values);
  return histogram;
}

/** All combinations of the values of the labels; none if the values of a label are not listed. */
function seriesOf(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (series, [name, values]) =>
      typeof values === 'string' ? [] : series.flatMap((rest) => values.map((value) => ({ ...rest, [name]: value }))),
    [{}],
  );
}

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
