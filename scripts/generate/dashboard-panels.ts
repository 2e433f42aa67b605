// The rows and panels of the Grafana dashboard in ops/grafana/chauffeur.json.

/** How Grafana formats values. */
type Unit = 'bytes' | 'Bps' | 'none' | 'percentunit' | 'reqps' | 's' | 'short';

type Query = { readonly expr: string; readonly legend: string };
export type Panel = {
  readonly title: string;
  /** What it shows, and what to look for. */
  readonly description: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** A single value; by default, values over time. */
  readonly stat?: true;
  /** Values from which a single value is orange and red; in descending order if low values are bad. */
  readonly thresholds?: { readonly warning: number; readonly critical: number };
};
export type Row = { readonly title: string; readonly panels: readonly Panel[] };

/** The processes that are selected at the top of the dashboard. */
const P = 'job="$job",instance=~"$instance"';
/** Values from the database are the same in all processes. */
const J = 'job="$job"';
const RANGE = '$__rate_interval';

function rate(metric: string, by = '', filter = ''): string {
  const selector = filter === '' ? P : `${P},${filter}`;
  const sum = by === '' ? 'sum' : `sum by (${by})`;
  return `${sum} (rate(${metric}{${selector}}[${RANGE}]))`;
}

function quantile(share: number, metric: string, by = '', filter = ''): string {
  return `histogram_quantile(${share}, ${rate(`${metric}_bucket`, by === '' ? 'le' : `le, ${by}`, filter)})`;
}

/** The middle and the slow end of a duration. */
function durations(metric: string, filter = ''): Query[] {
  return [
    { expr: quantile(0.5, metric, '', filter), legend: 'half take at most' },
    { expr: quantile(0.95, metric, '', filter), legend: '95% take at most' },
  ];
}

const HTTP = 'chauffeur_http_request_duration_seconds';
/** Requests that do not take as long as their bytes. */
const PLAIN =
  'operation!~"uploads[.]file|symbols[.](upload|read)|media[.].*|videos[.](add.*|download)|crashes[.](create.*|upload|download)|store[.]download|play.*|mcp|other"';

export const DASHBOARD: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      {
        title: 'Processes',
        description: 'Processes that Prometheus can read. Compare with how many you run.',
        unit: 'none',
        stat: true,
        queries: [{ expr: `sum(up{${P}})`, legend: 'up' }],
      },
      {
        title: 'Parts that do not respond',
        description: 'The database, the blob store and the scanner, as /ready checks them.',
        unit: 'none',
        stat: true,
        thresholds: { warning: 1, critical: 1 },
        queries: [{ expr: `count(min by (part) (chauffeur_part_up{${J}}) == 0) or vector(0)`, legend: 'down' }],
      },
      {
        title: 'Requests',
        description: 'Responses per second. 5xx are failures of the service; 4xx are refusals.',
        unit: 'reqps',
        queries: [{ expr: rate(`${HTTP}_count`, 'status'), legend: '{{status}}' }],
      },
      {
        title: 'Failed requests',
        description: 'The share of responses that are 5xx. The alert fires above 2%.',
        unit: 'percentunit',
        queries: [
          {
            expr: `${rate(`${HTTP}_count`, '', 'status="5xx"')} / ${rate(`${HTTP}_count`)}`,
            legend: '5xx',
          },
        ],
      },
      {
        title: 'Duration of requests',
        description: 'Without uploads, downloads and other requests that take as long as their bytes.',
        unit: 's',
        queries: durations(HTTP, PLAIN),
      },
      {
        title: 'Saturation',
        description: 'The shares of job slots, database connections and batch queues in use. At 100%, work waits.',
        unit: 'percentunit',
        queries: [
          {
            expr: `sum by (lane) (chauffeur_jobs_running{${P}}) / sum by (lane) (chauffeur_job_slots{${P}})`,
            legend: 'slots for {{lane}} jobs',
          },
          {
            expr: `sum(chauffeur_database_pool_connections{${P},state="busy"}) / sum(chauffeur_database_pool_size{${P}})`,
            legend: 'database connections',
          },
          {
            expr: `max by (queue) (chauffeur_batch_waiting{${P}} / chauffeur_batch_capacity{${P}})`,
            legend: 'queue of {{queue}}',
          },
        ],
      },
      {
        title: 'Refusals by error code',
        description: 'Error responses per second. The codes are explained in docs/errors.md.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_refusals_total', 'code'), legend: '{{code}}' }],
      },
      {
        title: 'Refusals by limit',
        description: 'Uses that a limit refused, per second. See docs/limits.md.',
        unit: 'reqps',
        queries: [
          { expr: `${rate('chauffeur_limit_checks_total', 'limit', 'outcome="refused"')} > 0`, legend: '{{limit}}' },
        ],
      },
      {
        title: 'Slowest operations',
        description: 'The ten operations whose slowest 5% take the longest.',
        unit: 's',
        queries: [{ expr: `topk(10, ${quantile(0.95, HTTP, 'operation')})`, legend: '{{operation}}' }],
      },
      {
        title: 'Calls of agents',
        description: 'MCP calls per second, by tool.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_agent_calls_total', 'tool'), legend: '{{tool}}' }],
      },
      {
        title: 'Accounts, games and builds',
        description: 'What is stored in the database.',
        unit: 'short',
        queries: [{ expr: `max by (kind) (chauffeur_records{${J}})`, legend: '{{kind}}' }],
      },
      {
        title: 'Approvals pending',
        description: 'Requests of agents that wait for the owner of their game.',
        unit: 'short',
        queries: [{ expr: `max(chauffeur_approvals_pending{${J}})`, legend: 'pending' }],
      },
    ],
  },
  {
    title: 'Ship',
    panels: [
      {
        title: 'Received bytes',
        description: 'Bytes per second that were stored durably.',
        unit: 'Bps',
        queries: [{ expr: rate('chauffeur_uploaded_bytes_total', 'way'), legend: '{{way}}' }],
      },
      {
        title: 'Uploads',
        description: 'Uploads and chunks that are being received, and upload sessions that are open.',
        unit: 'short',
        queries: [
          { expr: `sum(chauffeur_uploads_in_progress{${P}})`, legend: 'receiving' },
          { expr: `max(chauffeur_upload_sessions_open{${J}})`, legend: 'open sessions' },
        ],
      },
      {
        title: 'Completed uploads',
        description: 'Uploads per second whose last byte arrived, by what became of them.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_upload_completion_duration_seconds_count', 'outcome'), legend: '{{outcome}}' },
        ],
      },
      {
        title: 'Duration of completion',
        description: 'From the last byte of a build to its record.',
        unit: 's',
        queries: durations('chauffeur_upload_completion_duration_seconds'),
      },
      {
        title: 'Refused zips',
        description: 'Zips per second that a rule refused at the end of their upload.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_zip_refusals_total', 'rule'), legend: '{{rule}}' }],
      },
      {
        title: 'Scans',
        description: 'Finished scans per second, and scans that are retried because clamd could not be reached.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_scan_duration_seconds_count', 'state'), legend: '{{state}}' },
          { expr: rate('chauffeur_scan_retries_total'), legend: 'retried' },
        ],
      },
      {
        title: 'Duration of scans',
        description: 'From the start of a scan to its result.',
        unit: 's',
        queries: durations('chauffeur_scan_duration_seconds'),
      },
      {
        title: 'Oldest build without a scan',
        description: 'Players cannot download a build before it is scanned.',
        unit: 's',
        queries: [
          { expr: `max(chauffeur_files_awaiting_scan_oldest_seconds{${J}})`, legend: 'uploaded' },
          {
            expr: `time() - max(chauffeur_scanner_signatures_timestamp_seconds{${J}})`,
            legend: 'age of the virus signatures',
          },
        ],
      },
    ],
  },
  {
    title: 'Crash reports and symbols',
    panels: [
      {
        title: 'Received reports',
        description: 'Crash reports per second that were stored durably, by kind of client.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_crash_reports_total', 'source'), legend: '{{source}}' }],
      },
      {
        title: 'Refused reports',
        description: 'Crash reports per second that a rule refused.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_crash_refusals_total', 'rule'), legend: '{{rule}}' }],
      },
      {
        title: 'Wait for processing',
        description: 'How long the oldest dump is overdue, and how long dumps waited before they were processed.',
        unit: 's',
        queries: [
          {
            expr: `max(chauffeur_queue_oldest_waiting_seconds{${J},task="crashes:process"})`,
            legend: 'oldest waiting now',
          },
          {
            expr: quantile(0.95, 'chauffeur_job_wait_seconds', '', 'task="crashes:process"'),
            legend: '95% waited at most',
          },
        ],
      },
      {
        title: 'Processed dumps',
        description: 'Dumps per second, by outcome. timeout and memory: the dump exceeded a limit of its thread.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_crash_walks_total', 'outcome'), legend: '{{outcome}}' }],
      },
      {
        title: 'Duration by stage',
        description: 'The slow end of each stage of processing a dump.',
        unit: 's',
        queries: [{ expr: quantile(0.95, 'chauffeur_crash_stage_duration_seconds', 'stage'), legend: '{{stage}}' }],
      },
      {
        title: 'Symbols',
        description: 'Symbol files per second that were received, and compiled or found unreadable.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_symbol_files_total'), legend: 'received' },
          { expr: rate('chauffeur_symbol_compile_duration_seconds_count', 'outcome'), legend: '{{outcome}}' },
        ],
      },
      {
        title: 'Converted native files',
        description: 'Programs and debug files per second, by outcome. timeout and memory: a limit of the thread.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_symbol_conversion_duration_seconds_count', 'outcome'), legend: '{{outcome}}' },
        ],
      },
      {
        title: 'Look-ups at symbol servers',
        description: 'Modules per second that were found, that no server has, or that are tried again.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_symbol_lookup_duration_seconds_count', 'outcome'), legend: '{{outcome}}' }],
      },
      {
        title: 'Waiting look-ups',
        description: 'Modules that wait to be looked up at the symbol servers. Many mean that a server fails.',
        unit: 'short',
        queries: [{ expr: `max(chauffeur_symbol_lookups_waiting{${J}})`, legend: 'waiting' }],
      },
    ],
  },
  {
    title: 'Events',
    panels: [
      {
        title: 'Events',
        description: 'Events per second. repeated: already received, and not counted again.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_events_total', 'outcome'), legend: '{{outcome}}' }],
      },
      {
        title: 'Refused requests and skipped events',
        description: 'Per second, by rule. A game that sends invalid events is fixed by its developer.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_event_refusals_total', 'rule'), legend: 'refused: {{rule}}' },
          { expr: rate('chauffeur_events_skipped_total', 'rule'), legend: 'skipped: {{rule}}' },
        ],
      },
      {
        title: 'Requests per batch',
        description: 'How many requests are written to the database together. It grows with the load.',
        unit: 'short',
        queries: [
          {
            expr: `${rate('chauffeur_batch_requests_total', 'queue')} / ${rate('chauffeur_batch_write_duration_seconds_count', 'queue')}`,
            legend: '{{queue}}',
          },
        ],
      },
      {
        title: 'Duration of batches',
        description: 'The slow end of writing a batch. Senders wait for at most two batches.',
        unit: 's',
        queries: [{ expr: quantile(0.95, 'chauffeur_batch_write_duration_seconds', 'queue'), legend: '{{queue}}' }],
      },
      {
        title: 'Refused because of overload',
        description: 'Requests per second that got 5030 because the queue in memory was full, and failed batches.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_batch_refusals_total', 'queue'), legend: 'refused: {{queue}}' },
          {
            expr: rate('chauffeur_batch_write_duration_seconds_count', 'queue', 'outcome="failed"'),
            legend: 'failed batches: {{queue}}',
          },
        ],
      },
    ],
  },
  {
    title: 'Jobs and emails',
    panels: [
      {
        title: 'Waiting jobs',
        description: 'Jobs that are due and wait for a worker.',
        unit: 'short',
        queries: [
          {
            expr: `max by (task) (chauffeur_queue_jobs{${J},state="waiting"}) > 0`,
            legend: '{{task}}',
          },
        ],
      },
      {
        title: 'Oldest waiting job',
        description: 'How long the oldest job of each lane is overdue. People wait for quick jobs.',
        unit: 's',
        queries: [{ expr: `max by (lane) (chauffeur_queue_oldest_waiting_seconds{${J}})`, legend: '{{lane}}' }],
      },
      {
        title: 'Failed jobs',
        description: 'Jobs whose attempts all failed. Retry or delete them at /operator/jobs.',
        unit: 'short',
        queries: [{ expr: `max by (task) (chauffeur_queue_jobs{${J},state="failed"}) > 0`, legend: '{{task}}' }],
      },
      {
        title: 'Attempts',
        description: 'Attempts at jobs per second. Retries follow after e, e², e³ … seconds.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_job_duration_seconds_count', 'outcome'), legend: '{{outcome}}' }],
      },
      {
        title: 'Duration of jobs',
        description: 'The ten kinds of jobs whose slowest 5% take the longest.',
        unit: 's',
        queries: [
          { expr: `topk(10, ${quantile(0.95, 'chauffeur_job_duration_seconds', 'task')})`, legend: '{{task}}' },
        ],
      },
      {
        title: 'Restarts of the queue',
        description: 'Restarts after a failure, such as a lost connection to the database.',
        unit: 'short',
        queries: [
          { expr: `sum by (lane) (increase(chauffeur_queue_restarts_total{${P}}[${RANGE}]))`, legend: '{{lane}}' },
        ],
      },
      {
        title: 'Emails',
        description: 'Emails per second. Failed ones are retried for about a day.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_mail_duration_seconds_count', 'outcome'), legend: '{{outcome}}' }],
      },
      {
        title: 'Emails held back',
        description:
          'Emails that were not sent: over a limit, stopped by the recipient, or to an address that is not verified.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_mails_held_total', 'kind, reason'), legend: '{{kind}}: {{reason}}' }],
      },
    ],
  },
  {
    title: 'Database, storage and backups',
    panels: [
      {
        title: 'Connections of the processes',
        description: 'waiting: queries that wait because all connections of their process are in use.',
        unit: 'short',
        queries: [
          { expr: `sum by (state) (chauffeur_database_pool_connections{${P}})`, legend: '{{state}}' },
          { expr: `sum(chauffeur_database_pool_waiting{${P}})`, legend: 'waiting' },
        ],
      },
      {
        title: 'Connections of PostgreSQL',
        description: 'Of all programs, with the maximum.',
        unit: 'short',
        queries: [
          { expr: `max(chauffeur_database_connections{${J}})`, legend: 'in use' },
          { expr: `max(chauffeur_database_connections_max{${J}})`, legend: 'maximum' },
        ],
      },
      {
        title: 'Reads from the replica',
        description: 'Reads per second for which the replica may be used, by where they were answered and why.',
        unit: 'reqps',
        queries: [{ expr: rate('chauffeur_replica_reads_total', 'result'), legend: '{{result}}' }],
      },
      {
        title: 'Age of the data of the replica',
        description: 'As checked by each process. Above CHAUFFEUR_DATABASE_REPLICA_SECONDS, the primary is read.',
        unit: 's',
        queries: [{ expr: `chauffeur_replica_lag_seconds{${P}}`, legend: '{{instance}}' }],
      },
      {
        title: 'Stored bytes',
        description: 'The database, and blobs without crash files.',
        unit: 'bytes',
        queries: [
          { expr: `max(chauffeur_database_size_bytes{${J}})`, legend: 'database' },
          { expr: `max by (kind) (chauffeur_stored_bytes{${J}})`, legend: '{{kind}}' },
        ],
      },
      {
        title: 'Stored blobs',
        description: 'Blobs of builds, images and symbols.',
        unit: 'short',
        queries: [{ expr: `max by (kind) (chauffeur_stored_blobs{${J}})`, legend: '{{kind}}' }],
      },
      {
        title: 'Free disk space',
        description: 'Of the disk with the data folder. Below 5%, the alert fires.',
        unit: 'bytes',
        queries: [
          { expr: `chauffeur_disk_free_bytes{${P}}`, legend: '{{instance}}' },
          { expr: `max(chauffeur_disk_size_bytes{${P}})`, legend: 'size' },
        ],
      },
      {
        title: 'Operations of the blob store',
        description: 'The slow end of each operation.',
        unit: 's',
        queries: [
          { expr: quantile(0.95, 'chauffeur_blob_operation_duration_seconds', 'operation'), legend: '{{operation}}' },
        ],
      },
      {
        title: 'Failures of the blob store',
        description: 'Operations per second. cut: the sender broke off, which is normal for uploads.',
        unit: 'reqps',
        queries: [
          {
            expr: rate('chauffeur_blob_operation_duration_seconds_count', 'outcome', 'outcome!~"ok|missing"'),
            legend: '{{outcome}}',
          },
        ],
      },
      {
        title: 'Last backup',
        description: 'When the newest complete backup began. The alert fires after 36 hours.',
        unit: 's',
        stat: true,
        thresholds: { warning: 93_600, critical: 129_600 },
        queries: [{ expr: `time() - max(chauffeur_backup_last_success_timestamp_seconds{${J}})`, legend: 'ago' }],
      },
      {
        title: 'Last failed backup',
        description: 'When the newest backup began that failed, was interrupted, or found lost or damaged blobs.',
        unit: 's',
        stat: true,
        queries: [{ expr: `time() - (max(chauffeur_backup_last_failure_timestamp_seconds{${J}}) > 0)`, legend: 'ago' }],
      },
      {
        title: 'Duration of the last backup',
        description: 'How long the newest complete backup took.',
        unit: 's',
        stat: true,
        queries: [{ expr: `max(chauffeur_backup_last_duration_seconds{${J}})`, legend: 'duration' }],
      },
    ],
  },
  {
    title: 'Processes',
    panels: [
      {
        title: 'Processor time',
        description: 'Seconds of processor time per second: 1 is one core.',
        unit: 'short',
        queries: [{ expr: `rate(process_cpu_seconds_total{${P}}[${RANGE}])`, legend: '{{instance}}' }],
      },
      {
        title: 'Memory',
        description: 'Resident memory, and the JavaScript heap in use. Buffers and threads are outside of the heap.',
        unit: 'bytes',
        queries: [
          { expr: `process_resident_memory_bytes{${P}}`, legend: '{{instance}} resident' },
          { expr: `nodejs_heap_size_used_bytes{${P}}`, legend: '{{instance}} heap' },
        ],
      },
      {
        title: 'Event loop lag',
        description: 'How late the main thread notices events, at worst. All requests of the process wait meanwhile.',
        unit: 's',
        queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${P}}`, legend: '{{instance}}' }],
      },
      {
        title: 'Garbage collection',
        description: 'Seconds per second that the main thread collects garbage.',
        unit: 'percentunit',
        queries: [{ expr: rate('nodejs_gc_duration_seconds_sum', 'kind'), legend: '{{kind}}' }],
      },
      {
        title: 'Busy threads',
        description: 'Threads that read dumps, zips, symbols and images.',
        unit: 'short',
        queries: [{ expr: `sum by (thread) (chauffeur_threads_busy{${P}})`, legend: '{{thread}}' }],
      },
      {
        title: 'Ended threads',
        description: 'Tasks per second that exceeded a limit or crashed their thread.',
        unit: 'reqps',
        queries: [
          {
            expr: rate('chauffeur_thread_tasks_total', 'thread, outcome', 'outcome!~"done|failed"'),
            legend: '{{thread}}: {{outcome}}',
          },
          { expr: rate('chauffeur_threads_started_total', 'thread'), legend: '{{thread}}: started' },
        ],
      },
      {
        title: 'Requests in progress',
        description: 'Requests without a complete response.',
        unit: 'short',
        queries: [{ expr: `chauffeur_http_requests_in_progress{${P}}`, legend: '{{instance}}' }],
      },
      {
        title: 'Uptime',
        description: 'Time since the start of each process, with its version and role.',
        unit: 's',
        queries: [
          {
            expr: `(time() - process_start_time_seconds{${P}}) * on (job, instance) group_left (version, role) chauffeur_build_info{${P}}`,
            legend: '{{instance}} {{role}} {{version}}',
          },
        ],
      },
      {
        title: 'Metrics and traces',
        description:
          'Values that could not be read for the metrics, and spans that the collector did or did not receive.',
        unit: 'reqps',
        queries: [
          { expr: rate('chauffeur_metrics_read_failures_total', 'reading'), legend: 'not read: {{reading}}' },
          { expr: rate('chauffeur_trace_spans_total', 'outcome'), legend: 'spans {{outcome}}' },
        ],
      },
    ],
  },
];
