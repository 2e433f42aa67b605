// Measures the stages of processing a dump, for metrics and traces.
import type { Context } from '../../../context.ts';
import { secondsSince } from '../../../kernel/clock.ts';
import { inSpan } from '../../../kernel/telemetry/tracing.ts';

export async function measureStage<T>(
  { metrics }: Context,
  stage: 'walk' | 'symbols' | 'group',
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  try {
    return await inSpan(`crash ${stage}`, {}, work);
  } finally {
    metrics.crashStages.observe({ stage }, secondsSince(begun));
  }
}
