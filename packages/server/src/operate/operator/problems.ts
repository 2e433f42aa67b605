// Finds the problems in the state of the service that an operator should fix: ordered rules, the worst first.

import { formatBytes } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getServiceState } from '@chauffeur/contract/operations/operator';

export type ServiceState = OutputOf<typeof getServiceState>;
export type ServiceProblem = ServiceState['problems'][number];
type Facts = Omit<ServiceState, 'problems'>;
type Rule = (facts: Facts) => ServiceProblem | null;

const GIB = 1024 ** 3;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** With less free space, uploads are about to fail. */
const MIN_FREE_BYTES = GIB;
/** The free space that a few of the largest builds need. */
const WARNING_FREE_BYTES = 20 * GIB;
/** Users wait for quick jobs, while a long job takes minutes anyway. */
const MAX_WAIT_MS = { quick: 2 * MINUTE_MS, long: 30 * MINUTE_MS, outgoing: 30 * MINUTE_MS } as const;
/** ClamAV publishes signatures every day. */
const STALE_SIGNATURES_DAYS = 7;
const FULL_SHARE = 0.9;
/** People who ask for an email twice cause a few a day. */
const MANY_HELD_EMAILS = 100;

const REPLICA_STATES = {
  unreachable: 'it does not respond',
  behind: 'its data is too old',
  'not a standby': 'it is not a standby of the primary',
  'distributed database': 'Citus distributes the database',
} as const;

const RULES: readonly Rule[] = [
  ({ processes }) =>
    processes.some(({ alive, takes_jobs: takesJobs }) => alive && takesJobs)
      ? null
      : failure(
          'processes',
          'No process runs jobs, so scans, emails and crash reports are not processed.',
          'Start chauffeur-server worker.',
        ),
  ({ storage }) =>
    storage.reachable
      ? null
      : failure(
          'storage',
          'The blob store does not respond. Uploads and downloads fail.',
          'Check the log for the reason.',
        ),
  ({ storage: { free_bytes: free } }) => {
    if (free === null || free >= WARNING_FREE_BYTES) return null;
    const message = `The disk of the data folder has ${formatBytes(free)} free.`;
    return free < MIN_FREE_BYTES
      ? failure('storage', message, 'Free up disk space now. Uploads are about to be refused with code 5070.')
      : warning('storage', message, 'Free up disk space or move blobs to S3 before large builds are refused.');
  },
  ({ scanner }) =>
    scanner.configured && !scanner.reachable
      ? failure('scanner', 'The virus scanner does not respond.', 'Start clamd. Uploads wait for it for about a day.')
      : null,
  ({ database: { unsafe_settings: names } }) =>
    names.length === 0
      ? null
      : failure(
          'database',
          `PostgreSQL can lose stored data if its machine crashes: ${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} off.`,
          `Turn ${names.length === 1 ? 'it' : 'them'} on in postgresql.conf.`,
        ),
  ({ queue: { failed } }) =>
    failed === 0
      ? null
      : failure(
          'queue',
          failed === 1 ? '1 job has failed after all attempts.' : `${failed} jobs have failed after all attempts.`,
          'Fix the cause, then retry them.',
        ),
  ...(['quick', 'long', 'outgoing'] as const).map(
    (lane): Rule =>
      (facts) =>
        findOverdue(facts, lane),
  ),
  ({ scanner }) =>
    scanner.configured
      ? null
      : warning('scanner', 'There is no virus scanner. Files are offered without a scan.', 'Set CHAUFFEUR_CLAMD.'),
  ({ at, scanner: { signatures_day: day } }) => {
    const days = day === null ? 0 : Math.floor((Date.parse(at) - Date.parse(day)) / DAY_MS);
    if (days <= STALE_SIGNATURES_DAYS) return null;
    return warning('scanner', `The virus signatures are ${days} days old.`, 'Make sure that freshclam is running.');
  },
  ({ database: { connections, most_connections: max } }) =>
    connections < max * FULL_SHARE
      ? null
      : warning(
          'database',
          `${connections} of ${max} PostgreSQL connections are in use.`,
          'Raise max_connections or lower CHAUFFEUR_DATABASE_CONNECTIONS.',
        ),
  ({ database: { replica } }) =>
    replica === null || replica.state === 'ok'
      ? null
      : warning(
          'database',
          `The database replica is not used: ${REPLICA_STATES[replica.state]}. The primary answers for it.`,
          'See the runbook, ChauffeurReplicaUnused.',
        ),
  ({ mail: { held_today: held } }) =>
    held < MANY_HELD_EMAILS
      ? null
      : warning(
          'mail',
          `${held} emails were held back today, because their recipients had too many.`,
          'Someone may be flooding mailboxes. See the runbook, ChauffeurMailsHeld.',
        ),
  ({ at, symbol_servers: { waiting, failing } }) => {
    // A single failure says nothing.
    const paused = failing.filter(({ paused_until: until }) => until !== null && until > at);
    if (paused.length === 0) return null;
    const problems = paused.map(({ problem }) => problem).join('; ');
    return warning(
      'symbols',
      `Symbols cannot be looked up at ${problems}. ${waiting} ${waiting === 1 ? 'module waits' : 'modules wait'}.`,
      'Check CHAUFFEUR_SYMBOL_SOURCES with chauffeur-server config check.',
    );
  },
  ({ mail }) =>
    mail.by === 'smtp'
      ? null
      : warning('mail', 'Emails are written to a folder and not delivered.', 'Set CHAUFFEUR_SMTP.'),
];

/** The problems in the order of the rules, failures before warnings. */
export function findProblems(facts: Facts): ServiceProblem[] {
  const problems = RULES.map((rule) => rule(facts)).filter((problem) => problem !== null);
  return problems.sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'));
}

function findOverdue({ at, queue }: Facts, lane: keyof typeof MAX_WAIT_MS): ServiceProblem | null {
  const waits = queue.kinds
    .filter((kind) => kind.lane === lane && kind.oldest_waiting_at !== null)
    .map((kind) => Date.parse(at) - Date.parse(kind.oldest_waiting_at ?? at));
  const longest = Math.max(0, ...waits);
  if (longest <= MAX_WAIT_MS[lane]) return null;
  const minutes = Math.floor(longest / MINUTE_MS);
  if (lane === 'outgoing')
    return warning('queue', `An alert has waited for ${minutes} minutes to be delivered.`, 'Start another worker.');
  const message = `A ${lane} job has waited for ${minutes} minutes.`;
  return warning('queue', message, 'Start another worker, or raise CHAUFFEUR_JOBS and CHAUFFEUR_QUICK_JOBS.');
}

function failure(part: ServiceProblem['part'], message: string, remedy: string): ServiceProblem {
  return { part, level: 'bad', says: message, remedy };
}

function warning(part: ServiceProblem['part'], message: string, remedy: string): ServiceProblem {
  return { part, level: 'unsure', says: message, remedy };
}
