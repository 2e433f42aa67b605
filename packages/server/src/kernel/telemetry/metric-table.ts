// Every metric of the server. docs/metrics.md is generated from these tables.
import { counter, gauge, histogram } from './define-metric.ts';

const OPERATION = 'an operation of [the API](api.md), `other` for pages and files, or a route outside the API';
const TASK = 'a kind of job, such as `scans:scan`';
const CODE = 'an [error code](errors.md)';
const RULE = 'the rule that refused it';
const LANE = ['quick', 'long', 'outgoing'] as const;

/** Bounds from a fast query to a request that takes minutes because of its body. */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
/** Bounds from an email to the scan of a large build. */
const JOB_SECONDS = [0.01, 0.1, 1, 10, 60, 600];
/** Bounds from a query to an upload of many bytes. */
const STORE_SECONDS = [0.001, 0.01, 0.1, 1, 10, 60];

/** The limits that are counted, by the name of their label. */
const LIMIT_NAMES = [
  'account_exports',
  'agent_calls',
  'approvals',
  'bug_replies',
  'bugs',
  'chunks',
  'commits',
  'crash_files',
  'crash_reports',
  'feedback',
  'guest_bugs',
  'invitations',
  'issues',
  'login_codes',
  'mail_requests',
  'mails_of_accounts',
  'mails_of_games',
  'manual_deliveries',
  'media_uploads',
  'mentions',
  'open_sessions',
  'open_streams',
  'page_reports',
  'password_confirmations',
  'public_posts',
  'public_reads',
  'sdk_sessions',
  'set_up_codes',
  'set_up_tests',
  'sign_ins',
  'storage',
  'symbol_lookups',
  'symbol_uploads',
  'uploads',
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** The kinds of emails; people/emails/email-kinds.ts says what limits each. */
export const EMAIL_KINDS = [
  ...(['alert', 'approval', 'change_email', 'deploy_key', 'existing_account', 'follow', 'game_deleted'] as const),
  ...(['game_transferred', 'invitation', 'mention', 'new_email', 'operator_notice', 'page_hidden', 'release'] as const),
  ...(['reply', 'reset', 'reset_report', 'security', 'team_invitation', 'test', 'ticket', 'transfer'] as const),
  ...(['verify'] as const),
] as const;

const HTTP = {
  requests: histogram(
    'chauffeur_http_request_duration_seconds',
    'Time from the headers of a request to the end of its response.',
    REQUEST_SECONDS,
    {
      operation: OPERATION,
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'],
      status: ['1xx', '2xx', '3xx', '4xx', '5xx'],
    },
  ),
  requestsInProgress: gauge('chauffeur_http_requests_in_progress', 'Requests that have no complete response yet.'),
  refusals: counter('chauffeur_refusals_total', 'Requests that got an error response.', {
    operation: OPERATION,
    code: CODE,
  }),
  limitChecks: counter(
    'chauffeur_limit_checks_total',
    'Checks of a limit. Of sign-ins, only the refused ones are counted.',
    { limit: LIMIT_NAMES, outcome: ['allowed', 'refused'] },
  ),
};

const UPLOADS = {
  uploadedBytes: counter('chauffeur_uploaded_bytes_total', 'Received bytes that were stored durably, uncompressed.', {
    way: ['single', 'chunk', 'symbols', 'crash', 'image', 'video'],
  }),
  uploadsInProgress: gauge('chauffeur_uploads_in_progress', 'Uploads and chunks that this process is receiving.'),
  openSessions: gauge('chauffeur_upload_sessions_open', 'Upload sessions that are open. From the database.'),
  uploadCompletions: histogram(
    'chauffeur_upload_completion_duration_seconds',
    'Time from the last byte of a build to its record: checksum, durable zip, check of its directory. `refused`: the checksum or the zip is wrong.',
    [0.01, 0.1, 0.5, 2, 10, 60],
    { outcome: ['stored', 'refused', 'failed'] },
  ),
  zipRefusals: counter('chauffeur_zip_refusals_total', 'Zips that were refused at the end of their upload.', {
    rule: RULE,
  }),
};

const SCANS = {
  scans: histogram(
    'chauffeur_scan_duration_seconds',
    'Time to scan a build, by the state that the scan led to.',
    [0.1, 1, 5, 30, 120, 600, 1800],
    { state: ['clean', 'infected', 'error', 'unscanned'] },
  ),
  scanRetries: counter(
    'chauffeur_scan_retries_total',
    'Scans that did not take place because clamd could not be reached, and are retried.',
  ),
  filesAwaitingScan: gauge('chauffeur_files_awaiting_scan', 'Builds without the result of a scan. From the database.'),
  oldestAwaitingScan: gauge(
    'chauffeur_files_awaiting_scan_oldest_seconds',
    'How long ago the oldest build without the result of a scan was uploaded; 0 if there is none. From the database.',
  ),
  scannerSignatures: gauge(
    'chauffeur_scanner_signatures_timestamp_seconds',
    "The day of clamd's signatures, as Unix time. Absent without a scanner, or if clamd does not report it.",
  ),
};

const CRASHES = {
  crashReports: counter('chauffeur_crash_reports_total', 'Crash reports that were stored durably, by kind of client.', {
    source: ['api', 'engine', 'breakpad', 'crashpad', 'unreal', 'sentry'],
  }),
  crashRefusals: counter('chauffeur_crash_refusals_total', 'Crash reports that were refused.', { rule: RULE }),
  crashWalks: counter('chauffeur_crash_walks_total', 'Processed dumps.', {
    outcome: ['walked', 'unreadable', 'missing', 'timeout', 'memory', 'broken'],
  }),
  crashStages: histogram(
    'chauffeur_crash_stage_duration_seconds',
    'Time of each stage of processing a dump: `walk`, including the wait for a thread and for symbols, `symbols`, finding and opening them, and `group`, recording the result in its group.',
    [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    { stage: ['walk', 'symbols', 'group'] },
  ),
};

const SYMBOLS = {
  symbolFiles: counter('chauffeur_symbol_files_total', 'Symbol files that were received and stored durably.'),
  symbolCompiles: histogram(
    'chauffeur_symbol_compile_duration_seconds',
    'Time to compile a symbol file.',
    JOB_SECONDS,
    {
      outcome: ['compiled', 'unreadable'],
    },
  ),
  symbolConversions: histogram(
    'chauffeur_symbol_conversion_duration_seconds',
    'Time to convert an uploaded native file to symbols. `unreadable`: the file is damaged or not supported; `broken`: a bug of the converter; `failed`: it is tried again.',
    JOB_SECONDS,
    { outcome: ['converted', 'unreadable', 'timeout', 'memory', 'broken', 'failed'] },
  ),
  symbolLookups: histogram(
    'chauffeur_symbol_lookup_duration_seconds',
    'Time to look up a module at the symbol servers. `failed`: a server did not answer, so it is tried again later.',
    JOB_SECONDS,
    { outcome: ['found', 'absent', 'failed'] },
  ),
  symbolLookupsWaiting: gauge(
    'chauffeur_symbol_lookups_waiting',
    'Modules that wait to be looked up at the symbol servers. From the database.',
  ),
};

const EVENTS = {
  events: counter(
    'chauffeur_events_total',
    'Events of games. `accepted`: stored durably; `repeated`: already received.',
    {
      outcome: ['accepted', 'repeated'],
    },
  ),
  eventRefusals: counter('chauffeur_event_refusals_total', 'Requests with events that were refused.', { rule: RULE }),
  eventsSkipped: counter(
    'chauffeur_events_skipped_total',
    'Invalid events of analytics modules of engines. The other events of the request were stored.',
    { rule: RULE },
  ),
};

/** The queues in memory that collect what many requests write together. */
const BATCH_QUEUES = [
  'crash_reports',
  'crash_walks',
  'downloads',
  'events',
  'plays',
  'referred_downloads',
  'referred_plays',
  'sdk_sessions',
  'views',
] as const;
export type BatchQueue = (typeof BATCH_QUEUES)[number];

const BATCHES = {
  batchWrites: histogram(
    'chauffeur_batch_write_duration_seconds',
    'Time to write the crash reports, events or downloads of many requests to the database together. `crash_walks`: the results of jobs.',
    [0.005, 0.02, 0.1, 0.5, 2, 10],
    { queue: BATCH_QUEUES, outcome: ['written', 'failed'] },
  ),
  batchRequests: counter('chauffeur_batch_requests_total', 'Requests in written batches.', { queue: BATCH_QUEUES }),
  batchWaiting: gauge(
    'chauffeur_batch_waiting',
    'Crash reports, events or other items that wait in memory for the next batch. Their requests and jobs go on when they are written.',
    { queue: BATCH_QUEUES },
  ),
  batchCapacity: gauge('chauffeur_batch_capacity', 'How many may wait before further ones are refused with 5030.', {
    queue: BATCH_QUEUES,
  }),
  batchRefusals: counter('chauffeur_batch_refusals_total', 'Requests that were refused because the queue was full.', {
    queue: BATCH_QUEUES,
  }),
};

const QUEUE = {
  queueJobs: gauge(
    'chauffeur_queue_jobs',
    'Jobs in the queue. `scheduled`: due later, such as a retry; `failed`: all attempts failed. From the database.',
    { task: TASK, lane: LANE, state: ['waiting', 'scheduled', 'running', 'failed'] },
  ),
  queueOldest: gauge(
    'chauffeur_queue_oldest_waiting_seconds',
    'How long the oldest waiting job is overdue; 0 if none is waiting. From the database.',
    { task: TASK, lane: LANE },
  ),
  jobs: histogram('chauffeur_job_duration_seconds', 'Running time of jobs.', JOB_SECONDS, {
    task: TASK,
    outcome: ['done', 'retry', 'failed'],
  }),
  jobWaits: histogram(
    'chauffeur_job_wait_seconds',
    'Time from when a job was due to its start.',
    [...JOB_SECONDS, 3600],
    {
      task: TASK,
    },
  ),
  jobsRunning: gauge('chauffeur_jobs_running', 'Jobs that this process is running.', { lane: LANE }),
  jobSlots: gauge('chauffeur_job_slots', 'Jobs that this process can run at once. Absent in `api`.', { lane: LANE }),
  queueRestarts: counter('chauffeur_queue_restarts_total', 'Restarts of the job queue after a failure.', {
    lane: LANE,
  }),
};

const EMAILS = {
  mails: histogram(
    'chauffeur_mail_duration_seconds',
    'Time to hand an email to the SMTP server, or to write it to the outbox.',
    [0.05, 0.2, 1, 5, 20],
    { outcome: ['sent', 'failed'] },
  ),
  mailsHeld: counter(
    'chauffeur_mails_held_total',
    'Emails that were not sent. `limit`: the recipient had too many of the kind; `blocked`: they asked for no more; `unconfirmed`: the account has not confirmed its address.',
    { kind: EMAIL_KINDS, reason: ['limit', 'blocked', 'unconfirmed'] },
  ),
};

const AGENTS = {
  agentCalls: counter('chauffeur_agent_calls_total', 'MCP calls of agents. Code 0: no error.', {
    tool: 'a [tool](mcp-tools.md)',
    code: CODE,
  }),
  approvalsPending: gauge(
    'chauffeur_approvals_pending',
    "Requests of agents that wait for the decision of a game's owner. From the database.",
  ),
};

/** Where a read that may use the replica was answered, or why not by the replica. */
export const REPLICA_RESULTS = [
  'replica',
  'behind',
  'own_write',
  'writes_not_counted',
  'not_found',
  'failed',
  'unreachable',
  'not_standby',
  'distributed',
] as const;

const DATABASE = {
  poolConnections: gauge('chauffeur_database_pool_connections', 'Connections of this process.', {
    state: ['busy', 'idle'],
  }),
  poolSize: gauge('chauffeur_database_pool_size', 'The maximum: `CHAUFFEUR_DATABASE_CONNECTIONS`.'),
  poolWaiting: gauge('chauffeur_database_pool_waiting', 'Queries and transactions that wait for a connection.'),
  databaseConnections: gauge(
    'chauffeur_database_connections',
    'Connections to the database, of all programs. From the database.',
  ),
  maxDatabaseConnections: gauge(
    'chauffeur_database_connections_max',
    '`max_connections` of PostgreSQL. From the database.',
  ),
  databaseBytes: gauge('chauffeur_database_size_bytes', 'Size of the database on disk. From the database.'),
  replicaReads: counter(
    'chauffeur_replica_reads_total',
    'Reads for which the replica may be used. `replica`: the replica answered; otherwise why the primary did: the replica was behind, missed a write of the user or of a deploy key, did not find an object, failed or is unreachable, is not a standby, or the database is distributed by Citus; `writes_not_counted`: a process without a replica serves requests too.',
    { result: REPLICA_RESULTS },
  ),
  replicaLag: gauge(
    'chauffeur_replica_lag_seconds',
    'Maximum age of the data of the replica, as last checked by this process; about 1 if the replica is not behind. Absent if it does not respond.',
  ),
};

const STORAGE = {
  blobOperations: histogram(
    'chauffeur_blob_operation_duration_seconds',
    'Time of operations on the blob store, outside of threads. `missing`: there is no such blob; `full`: no space left; `cut`: the sender of the bytes broke off; `read` ends when the blob is open.',
    STORE_SECONDS,
    {
      operation: ['put', 'begin', 'append', 'complete', 'stat', 'read', 'sign', 'delete'],
      outcome: ['ok', 'missing', 'full', 'cut', 'failed'],
    },
  ),
  storedBytes: gauge('chauffeur_stored_bytes', 'Bytes of stored blobs, without crash files. From the database.', {
    kind: ['builds', 'images', 'videos', 'symbols'],
  }),
  storedBlobs: gauge('chauffeur_stored_blobs', 'Stored blobs, without crash files. From the database.', {
    kind: ['builds', 'images', 'videos', 'symbols'],
  }),
  diskFree: gauge('chauffeur_disk_free_bytes', 'Free space on the disk of the data folder of this process.'),
  diskSize: gauge('chauffeur_disk_size_bytes', 'Size of that disk.'),
};

const BACKUPS = {
  lastBackup: gauge(
    'chauffeur_backup_last_success_timestamp_seconds',
    'When the newest complete backup began, as Unix time; 0 if there was none. From the database.',
  ),
  lastFailedBackup: gauge(
    'chauffeur_backup_last_failure_timestamp_seconds',
    'When the newest backup began that failed, was interrupted, or found lost or damaged blobs, as Unix time; 0 if there was none. From the database.',
  ),
  backupSeconds: gauge(
    'chauffeur_backup_last_duration_seconds',
    'Time that the newest complete backup took; 0 if there was none. From the database.',
  ),
};

const THREADS = {
  threadsBusy: gauge('chauffeur_threads_busy', 'Threads of this process that are working on a task.', {
    thread: 'the kind of thread, such as `walk`',
  }),
  threadsStarted: counter(
    'chauffeur_threads_started_total',
    'Started threads. A thread of `walk` is kept for further tasks, unless it crashes or exceeds a limit.',
    { thread: 'as above' },
  ),
  threadTasks: counter(
    'chauffeur_thread_tasks_total',
    'Tasks of threads. `failed`: the task threw an error; `timeout` and `memory`: it exceeded a limit.',
    { thread: 'as above', outcome: ['done', 'failed', 'timeout', 'memory', 'crashed'] },
  ),
};

export const PARTS = ['database', 'replica', 'blobs', 'scanner'] as const;

const SERVICE = {
  partUp: gauge('chauffeur_part_up', '1 if the part responds, 0 if it does not. Absent if it is not configured.', {
    part: PARTS,
  }),
  stored: gauge('chauffeur_records', 'Accounts, games and builds. From the database.', {
    kind: ['accounts', 'games', 'builds'],
  }),
  failedReadings: counter(
    'chauffeur_metrics_read_failures_total',
    'Failures to read values for `/metrics`, such as those from the database. The values are then absent.',
    { reading: ['parts', 'queue', 'work', 'database', 'storage', 'disk', 'backups', 'scanner'] },
  ),
  traceSpans: counter('chauffeur_trace_spans_total', 'Spans of traces that were sent to the collector, or not.', {
    outcome: ['exported', 'failed'],
  }),
  buildInfo: gauge('chauffeur_build_info', 'Always 1, with the version of the server and of Node.', {
    version: 'the version of the server',
    node: 'the version of Node',
    role: ['start', 'api', 'worker', 'admin'],
  }),
};

/** The metrics by what they are about, in the order of the documentation. */
export const METRIC_GROUPS = {
  Requests: HTTP,
  Uploads: UPLOADS,
  Scans: SCANS,
  'Crash reports': CRASHES,
  Symbols: SYMBOLS,
  Events: EVENTS,
  'Batches of crash reports and events': BATCHES,
  Jobs: QUEUE,
  Emails: EMAILS,
  Agents: AGENTS,
  Database: DATABASE,
  'Blobs and disk': STORAGE,
  Backups: BACKUPS,
  Threads: THREADS,
  Service: SERVICE,
} as const;

export const METRICS = {
  ...HTTP,
  ...UPLOADS,
  ...SCANS,
  ...CRASHES,
  ...SYMBOLS,
  ...EVENTS,
  ...BATCHES,
  ...QUEUE,
  ...EMAILS,
  ...AGENTS,
  ...DATABASE,
  ...STORAGE,
  ...BACKUPS,
  ...THREADS,
  ...SERVICE,
} as const;
