// Declares every metric of the service, in the text format of Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates a separate set of metrics for each service, so that two in one process do not share counts. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'chauffeur_http_request_seconds',
      help: 'Time from the head of a request to the end of its answer, by operation and status.',
      labelNames: ['operation', 'status'] as const,
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
      registers,
    }),
    refusals: new Counter({
      name: 'chauffeur_refusals_total',
      help: 'Requests answered with an error, by operation and error code.',
      labelNames: ['operation', 'code'] as const,
      registers,
    }),
    agentCalls: new Counter({
      name: 'chauffeur_agent_calls_total',
      help: 'Calls of agents over MCP that were answered, by tool and error code (0: none).',
      labelNames: ['tool', 'code'] as const,
      registers,
    }),
    uploadedBytes: new Counter({
      name: 'chauffeur_uploaded_bytes_total',
      help: 'Bytes received and stored durably, by way of upload (single, chunk or symbols).',
      labelNames: ['way'] as const,
      registers,
    }),
    uploadsUnderWay: new Gauge({
      name: 'chauffeur_uploads_under_way',
      help: 'Uploads and chunks being received by this process.',
      registers,
    }),
    crashReports: new Counter({
      name: 'chauffeur_crash_reports_total',
      help: 'Crash reports written durably, by the kind of client.',
      labelNames: ['source'] as const,
      registers,
    }),
    crashRefusals: new Counter({
      name: 'chauffeur_crash_refusals_total',
      help: 'Crash reports turned away, by the rule that did it.',
      labelNames: ['rule'] as const,
      registers,
    }),
    events: new Counter({
      name: 'chauffeur_events_total',
      help: 'Events of games that were answered, by outcome (accepted: written durably; repeated: had come before).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    eventRefusals: new Counter({
      name: 'chauffeur_event_refusals_total',
      help: 'Requests with events that were turned away, by the rule that did it.',
      labelNames: ['rule'] as const,
      registers,
    }),
    eventsSkipped: new Counter({
      name: 'chauffeur_events_skipped_total',
      help: 'Bad events of an engine’s analytics module, by the rule that objected; the rest of their request was taken.',
      labelNames: ['rule'] as const,
      registers,
    }),
    jobs: new Histogram({
      name: 'chauffeur_job_seconds',
      help: 'Time a job ran, by task and outcome.',
      labelNames: ['task', 'outcome'] as const,
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      registers,
    }),
    crashWalks: new Counter({
      name: 'chauffeur_crash_walks_total',
      help: 'Dumps of crash reports that were looked at to the end, by outcome (walked, unreadable, missing, timeout, memory, broken).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    scans: new Counter({
      name: 'chauffeur_scans_total',
      help: 'Scans that ended, by state.',
      labelNames: ['state'] as const,
      registers,
    }),
    symbols: new Counter({
      name: 'chauffeur_symbols_total',
      help: 'Symbol files that were compiled, by state.',
      labelNames: ['state'] as const,
      registers,
    }),
  };
}
