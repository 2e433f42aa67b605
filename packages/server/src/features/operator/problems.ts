// Tells from the state of the service what an operator should see to: ordered rules, the worst first.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getServiceState } from '@chauffeur/contract/operations/operator';
import { sayBytes } from '@chauffeur/contract/sizes';

export type ServiceState = OutputOf<typeof getServiceState>;
export type Problem = ServiceState['problems'][number];
type Facts = Omit<ServiceState, 'problems'>;
type Rule = (facts: Facts) => Problem | null;

const GIB = 1024 ** 3;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Below, uploads are about to fail. */
const LEAST_FREE = GIB;
/** A few builds of the largest size. */
const ROOM_FREE = 20 * GIB;
/** Quick jobs are waited for by somebody, long ones take minutes themselves. */
const PATIENCE_MS = { quick: 2 * MINUTE_MS, long: 30 * MINUTE_MS } as const;
/** ClamAV’s signatures change every day. */
const STALE_SIGNATURES_DAYS = 7;
const FULL_SHARE = 0.9;

const RULES: readonly Rule[] = [
  ({ processes }) =>
    processes.some(({ alive, takes_jobs: takesJobs }) => alive && takesJobs)
      ? null
      : bad(
          'processes',
          'No process takes jobs: nothing is scanned, mailed or read.',
          'Start chauffeur-server worker.',
        ),
  ({ storage }) =>
    storage.reachable
      ? null
      : bad(
          'storage',
          'The blob store does not answer.',
          'Look at the log for the reason; uploads and downloads fail.',
        ),
  ({ storage: { free_bytes: free } }) => {
    if (free === null || free >= ROOM_FREE) return null;
    const says = `${sayBytes(free)} are free on the disk of the data folder.`;
    return free < LEAST_FREE
      ? bad('storage', says, 'Make room now: uploads are about to be refused with code 5070.')
      : unsure('storage', says, 'Make room, or move blobs to S3, before large builds are refused.');
  },
  ({ scanner }) =>
    scanner.configured && !scanner.reachable
      ? bad('scanner', 'The virus scanner does not answer.', 'Start clamd: uploads wait for it for about a day.')
      : null,
  ({ queue: { failed } }) =>
    failed === 0
      ? null
      : bad(
          'queue',
          `${failed} ${failed === 1 ? 'job has' : 'jobs have'} failed after all their tries.`,
          'Mend the reason, then give them their tries again.',
        ),
  ...(['quick', 'long'] as const).map(
    (lane): Rule =>
      (facts) =>
        lateIn(facts, lane),
  ),
  ({ scanner }) =>
    scanner.configured
      ? null
      : unsure('scanner', 'There is no virus scanner: files are offered unscanned.', 'Set CHAUFFEUR_CLAMD.'),
  ({ at, scanner: { signatures_day: day } }) => {
    const days = day === null ? 0 : Math.floor((Date.parse(at) - Date.parse(day)) / DAY_MS);
    if (days <= STALE_SIGNATURES_DAYS) return null;
    return unsure('scanner', `The scanner’s signatures are ${days} days old.`, 'See that freshclam runs.');
  },
  ({ database: { connections, most_connections: most } }) =>
    connections < most * FULL_SHARE
      ? null
      : unsure(
          'database',
          `${connections} of ${most} connections of PostgreSQL are in use.`,
          'Raise max_connections, or lower CHAUFFEUR_DATABASE_CONNECTIONS.',
        ),
  ({ mail }) =>
    mail.by === 'smtp'
      ? null
      : unsure('mail', 'Mails are written to a folder: nobody receives them.', 'Set CHAUFFEUR_SMTP.'),
];

/** What is wrong, in the order of the rules, what does not work before what is to be looked at. */
export function findProblems(facts: Facts): Problem[] {
  const found = RULES.map((rule) => rule(facts)).filter((problem) => problem !== null);
  return found.sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'));
}

function lateIn({ at, queue }: Facts, lane: 'quick' | 'long'): Problem | null {
  const waits = queue.kinds
    .filter((kind) => kind.lane === lane && kind.oldest_waiting_at !== null)
    .map((kind) => Date.parse(at) - Date.parse(kind.oldest_waiting_at ?? at));
  const longest = Math.max(0, ...waits);
  if (longest <= PATIENCE_MS[lane]) return null;
  const says = `A ${lane} job has waited for ${Math.floor(longest / MINUTE_MS)} minutes.`;
  return unsure('queue', says, 'Start another worker, or raise CHAUFFEUR_JOBS and CHAUFFEUR_QUICK_JOBS.');
}

function bad(part: Problem['part'], says: string, remedy: string): Problem {
  return { part, level: 'bad', says, remedy };
}

function unsure(part: Problem['part'], says: string, remedy: string): Problem {
  return { part, level: 'unsure', says, remedy };
}
