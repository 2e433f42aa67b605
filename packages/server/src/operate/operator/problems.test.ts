import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findProblems, type ServiceState } from './problems.ts';

const GIB = 1024 ** 3;

const HEALTHY: Omit<ServiceState, 'problems'> = {
  at: '2026-11-21T12:00:00.000Z',
  queue: { waiting: 0, running: 0, failed: 0, oldest_waiting_at: null, kinds: [] },
  storage: { kind: 'files', reachable: true, free_bytes: 100 * GIB, total_bytes: 200 * GIB, kept: [] },
  scanner: {
    configured: true,
    reachable: true,
    engine: 'ClamAV 1.4.3',
    signatures: '27800 (2026-11-20)',
    signatures_day: '2026-11-20',
  },
  database: {
    version: '18.4',
    embedded: true,
    bytes: 1,
    connections: 10,
    most_connections: 100,
    unsafe_settings: [],
    migrations: 22,
    newest_migration: '0022_crash_reports_newest_last.sql',
    replica: null,
  },
  processes: [{ process_no: 1, role: 'start', started_at: '2026-11-21T11:00:00.000Z', takes_jobs: true, alive: true }],
  mail: { by: 'smtp', held_today: 99 },
  symbol_servers: { waiting: 0, failing: [] },
  totals: { users: 1, games: 1, builds: 1 },
};

const describeProblems = (changes: Partial<typeof HEALTHY>) =>
  findProblems({ ...HEALTHY, ...changes }).map(({ part, level, says }) => `${level} ${part}: ${says}`);

describe('the problems of a service', () => {
  it('are empty for a healthy service', () => {
    assert.deepEqual(describeProblems({}), []);
  });

  it('start with missing workers, even if a dead process is still listed', () => {
    const dead = { ...HEALTHY.processes[0]!, alive: false };
    for (const processes of [[], [dead], [{ ...dead, alive: true, takes_jobs: false }]])
      assert.match(describeProblems({ processes })[0] ?? '', /^bad processes: No process runs jobs/);
  });

  it('include low disk space by severity, and nothing if the space is unknown', () => {
    const free = (bytes: number | null) => describeProblems({ storage: { ...HEALTHY.storage, free_bytes: bytes } });
    assert.deepEqual(free(null), []);
    assert.deepEqual(free(19 * GIB), ['unsure storage: The disk of the data folder has 19.0 GiB free.']);
    assert.match(free(GIB / 2)[0] ?? '', /^bad storage: .*512 MiB/);
  });

  it('include a scanner that is unavailable, missing or has old signatures', () => {
    const scanner = (changes: Partial<typeof HEALTHY.scanner>) =>
      describeProblems({ scanner: { ...HEALTHY.scanner, ...changes } });
    assert.match(scanner({ reachable: false })[0] ?? '', /^bad scanner/);
    assert.match(scanner({ configured: false, reachable: false })[0] ?? '', /^unsure scanner: There is no/);
    assert.deepEqual(scanner({ signatures_day: '2026-11-14' }), []);
    assert.deepEqual(scanner({ signatures_day: '2026-11-01' }), [
      'unsure scanner: The virus signatures are 20 days old.',
    ]);
  });

  it('include a database replica that is not used', () => {
    const replica = (state: 'ok' | 'behind') =>
      describeProblems({ database: { ...HEALTHY.database, replica: { state, lag_seconds: 1 } } });
    assert.deepEqual(replica('ok'), []);
    assert.deepEqual(replica('behind'), [
      'unsure database: The database replica is not used: its data is too old. The primary answers for it.',
    ]);
  });

  it('include settings of PostgreSQL that can lose data', () => {
    const settings = (...unsafe: string[]) =>
      describeProblems({ database: { ...HEALTHY.database, unsafe_settings: unsafe } });
    assert.deepEqual(settings('fsync'), [
      'bad database: PostgreSQL can lose stored data if its machine crashes: fsync is off.',
    ]);
    assert.deepEqual(settings('full_page_writes', 'synchronous_commit'), [
      'bad database: PostgreSQL can lose stored data if its machine crashes: full_page_writes and synchronous_commit are off.',
    ]);
  });

  it('include failed jobs, and jobs that are overdue in their lane', () => {
    assert.deepEqual(describeProblems({ queue: { ...HEALTHY.queue, failed: 1 } }), [
      'bad queue: 1 job has failed after all attempts.',
    ]);
    const waiting = (lane: 'quick' | 'long' | 'outgoing', minutes: number) => {
      const oldest = new Date(Date.parse(HEALTHY.at) - minutes * 60_000).toISOString();
      const kind = { task: 't', lane, waiting: 1, later: 0, running: 0, failed: 0, oldest_waiting_at: oldest };
      return describeProblems({ queue: { ...HEALTHY.queue, kinds: [kind] } });
    };
    assert.deepEqual(waiting('quick', 1), []);
    assert.deepEqual(waiting('quick', 5), ['unsure queue: A quick job has waited for 5 minutes.']);
    assert.deepEqual(waiting('long', 5), []);
    assert.equal(waiting('long', 45).length, 1);
    assert.deepEqual(waiting('outgoing', 45), ['unsure queue: An alert has waited for 45 minutes to be delivered.']);
  });

  it('include symbol servers that keep failing', () => {
    const failing = (until: string | null) => ({
      address: 'breakpad+https://symbols.example.com/',
      problem: 'symbols.example.com: it responds with the status 503',
      paused_until: until,
    });
    const at = (until: string | null) =>
      describeProblems({ symbol_servers: { waiting: 3, failing: [failing(until)] } });
    assert.deepEqual(at('2026-11-21T12:10:00.000Z'), [
      'unsure symbols: Symbols cannot be looked up at symbols.example.com: it responds with the status 503. 3 modules wait.',
    ]);
    for (const until of [null, '2026-11-21T11:00:00.000Z']) assert.deepEqual(at(until), []);
  });

  it('include mails that were held back, once they are many', () => {
    assert.deepEqual(describeProblems({}), []);
    assert.match(describeProblems({ mail: { by: 'smtp', held_today: 100 } }).join(), /^unsure .*100 emails/);
  });

  it('list failures before warnings', () => {
    const lines = describeProblems({ mail: { by: 'outbox', held_today: 0 }, queue: { ...HEALTHY.queue, failed: 3 } });
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['bad', 'unsure'],
    );
  });
});
