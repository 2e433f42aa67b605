// Every metric of the service, declared before it is used, in Prometheus’ text format.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** A set of metrics of its own for each application, so that two in one process do not share counts. */
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
    uploadedBytes: new Counter({
      name: 'chauffeur_uploaded_bytes_total',
      help: 'Bytes received and stored durably, by way of upload (single or chunk).',
      labelNames: ['way'] as const,
      registers,
    }),
    uploadsUnderWay: new Gauge({
      name: 'chauffeur_uploads_under_way',
      help: 'Uploads and chunks being received by this process.',
      registers,
    }),
    jobs: new Histogram({
      name: 'chauffeur_job_seconds',
      help: 'Time a job ran, by task and outcome.',
      labelNames: ['task', 'outcome'] as const,
      buckets: [0.01, 0.1, 1, 10, 60, 600],
      registers,
    }),
    scans: new Counter({
      name: 'chauffeur_scans_total',
      help: 'Scans that ended, by state.',
      labelNames: ['state'] as const,
      registers,
    }),
  };
}
