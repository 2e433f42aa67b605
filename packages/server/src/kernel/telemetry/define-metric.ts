// Describes a metric as data: its name, meaning, labels and buckets. The registry and docs/metrics.md are made from it.

/** All values of a label, or what its values are if they are listed elsewhere. Values never come from requests. */
type LabelValues = readonly string[] | string;
export type Labels = Readonly<Record<string, LabelValues>>;

export type MetricDefinition<L extends Labels = Labels> = {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: L;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
};

export type CounterDefinition<L extends Labels> = MetricDefinition<L> & { readonly kind: 'counter' };
export type GaugeDefinition<L extends Labels> = MetricDefinition<L> & { readonly kind: 'gauge' };
export type HistogramDefinition<L extends Labels> = MetricDefinition<L> & {
  readonly kind: 'histogram';
  readonly buckets: readonly number[];
};

export function counter<const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  help: string,
  labels: L = {} as L,
): CounterDefinition<L> {
  return { kind: 'counter', name, help, labels };
}

export function gauge<const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  help: string,
  labels: L = {} as L,
): GaugeDefinition<L> {
  return { kind: 'gauge', name, help, labels };
}

export function histogram<const L extends Labels = Readonly<Record<never, never>>>(
  name: string,
  help: string,
  buckets: readonly number[],
  labels: L = {} as L,
): HistogramDefinition<L> {
  return { kind: 'histogram', name, help, labels, buckets };
}
