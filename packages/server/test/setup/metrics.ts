// Reads the metrics of a server, as Prometheus does.
import type { TestServer } from './server.ts';

/** The value of a series, such as `chauffeur_events_total{outcome="accepted"}`; undefined if there is none. */
export async function readMetric({ ctx }: Pick<TestServer, 'ctx'>, series: string): Promise<number | undefined> {
  const line = (await ctx.metrics.read()).split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
