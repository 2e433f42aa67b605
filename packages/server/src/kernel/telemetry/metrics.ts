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
      help: 'Time from the headers of a request to the end of its response, by operation and status.',
      labelNames: ['operation', 'status'] as const,
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
      registers,
    }),
    refusals: new Counter({
      name: 'chauffeur_refusals_total',
      help: 'Requests that got an error response, by operation and error code.',
      labelNames: ['operation', 'code'] as const,
      registers,
    }),
    agentCalls: new Counter({
      name: 'chauffeur_agent_calls_total',
      help: 'MCP calls of agents, by tool and error code (0: none).',
      labelNames: ['tool', 'code'] as const,
      registers,
    }),
    uploadedBytes: new Counter({
      name: 'chauffeur_uploaded_bytes_total',
      help: 'Uploaded bytes that were stored durably, by kind of upload (single, chunk or symbols).',
      labelNames: ['way'] as const,
      registers,
    }),
    uploadsUnderWay: new Gauge({
      name: 'chauffeur_uploads_under_way',
      help: 'Uploads and chunks that this process is receiving.',
      registers,
    }),
    crashReports: new Counter({
      name: 'chauffeur_crash_reports_total',
      help: 'Crash reports that were stored durably, by kind of client.',
      labelNames: ['source'] as const,
      registers,
    }),
    crashRefusals: new Counter({
      name: 'chauffeur_crash_refusals_total',
      help: 'Crash reports that were refused, by rule.',
      labelNames: ['rule'] as const,
      registers,
    }),
    events: new Counter({
      name: 'chauffeur_events_total',
      help: 'Events of games, by outcome (accepted: stored durably; repeated: already received).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    eventRefusals: new Counter({
      name: 'chauffeur_event_refusals_total',
      help: 'Requests with events that were refused, by rule.',
      labelNames: ['rule'] as const,
      registers,
    }),
    eventsSkipped: new Counter({
      name: 'chauffeur_events_skipped_total',
      help: 'Invalid events of analytics modules of engines, by rule. The other events of the request were stored.',
      labelNames: ['rule'] as const,
      registers,
    }),
    jobs: new Histogram({
      name: 'chauffeur_job_seconds',
      help: 'Running time of jobs, by task and outcome.',
      labelNames: ['task', 'outcome'] as const,
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      registers,
    }),
    crashWalks: new Counter({
      name: 'chauffeur_crash_walks_total',
      help: 'Processed dumps of crash reports, by outcome (walked, unreadable, missing, timeout, memory, broken).',
      labelNames: ['outcome'] as const,
      registers,
    }),
    scans: new Counter({
      name: 'chauffeur_scans_total',
      help: 'Finished scans, by state.',
      labelNames: ['state'] as const,
      registers,
    }),
    symbols: new Counter({
      name: 'chauffeur_symbols_total',
      help: 'Compiled symbol files, by state.',
      labelNames: ['state'] as const,
      registers,
    }),
  };
}
