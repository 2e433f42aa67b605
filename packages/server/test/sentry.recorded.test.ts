// Replays what real clients of Sentry sent, with the program that comes with the recorded requests. They are not part of
// the repository.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { formatDsn } from '@chauffeur/sentry/dsn/dsn';

import { sql } from 'kysely';
import { type EventContent, readStoredEvent } from '../src/crash/crashes/report/event.ts';
import { writeSentryCounts } from '../src/crash/sentry/receive/counts.ts';
import { rows } from '../src/kernel/database/db.ts';
import { attachmentsOf, type CrashSender, makeSender, orphansOf } from './setup/crashes.ts';
import { makeDsn } from './setup/dsns.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/sentry');
const skip = existsSync(FOLDER) ? false : 'skipped: recorded requests not found';

type ReportRow = EventContent & {
  kind: string;
  message: string;
  metadata: Record<string, unknown>;
  dump_key: string | null;
  build_id: string;
  device_uid: string | null;
};

const run = promisify(execFile);

/** Replays requests; returns the status and the start of the body by file. */
async function replay(dsn: string, args: readonly string[]): Promise<Map<string, string>> {
  const { stdout } = await run('python3', [join(FOLDER, 'replay.py'), dsn, ...args]).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }),
  );
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.replace(/:.*/s, ''), line.replace(/^[^:]*: /, '')]));
}

describe('recorded requests', { skip }, () => {
  let server: TestServer;
  const requests = skip
    ? []
    : readdirSync(join(FOLDER, 'requests'))
        .filter((name) => name.endsWith('.req') && !name.includes('-cli-dif'))
        .map((name) => join(FOLDER, 'requests', name));

  before(async () => {
    server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  });
  after(async () => {
    const orphans = await orphansOf(server).finally(() => server.stop());
    assert.deepEqual(orphans, []);
  });

  async function start(): Promise<CrashSender & { dsn: string }> {
    const sender = await makeSender(server);
    const { key, projectNo } = await makeDsn(server, sender.game);
    return { ...sender, dsn: formatDsn({ key, project: String(projectNo), origin: server.url }) };
  }

  function reportsOf({ game }: CrashSender): Promise<ReportRow[]> {
    return rows(
      server.ctx.db,
      sql<ReportRow>`select kind, message, metadata, event_key, event, dump_key, build_id, device_uid from crash_reports
        where game_id = ${game.uid} order by report_id`,
    );
  }

  async function countsOf({ game }: CrashSender): Promise<Map<string, number>> {
    await writeSentryCounts(server.ctx);
    const counted = await rows(
      server.ctx.db,
      sql<{
        name: string;
        count: number;
      }>`select what || ' ' || type || ' ' || reason as name, sum(count)::integer as count
        from sentry_counts where game_id = ${game.uid} group by 1`,
    );
    return new Map(counted.map(({ name, count }) => [name, count]));
  }

  it('are all taken, and become the reports that they should', async () => {
    const sender = await start();
    const answers = await replay(sender.dsn, requests);
    assert.equal(answers.size, requests.length);
    for (const [name, answer] of answers) assert.match(answer, /^200 /, name);
    assert.match(answers.get('00076-crashpad-crash.req')!, /^200 [0-9a-f-]{36}$/);
    assert.match(answers.get('00002-python.req')!, /^200 \{"id":"[0-9a-f]{32}"\}$/);
    assert.deepEqual(
      (await reportsOf(sender)).map(({ kind, message, dump_key }) => [kind, message, dump_key !== null]),
      REPORTS,
    );
    const [python] = await reportsOf(sender);
    const event = (await readStoredEvent(server.ctx.blobs, python!))!;
    assert.deepEqual(
      event.exceptions.map(({ type }) => type),
      ['ValueError', 'FileNotFoundError'],
    );
    assert.equal(event.breadcrumbs.at(-1)!.message, 'clicked play');
    assert.ok((await attachmentsOf(sender)).some(({ name }) => name === 'save.json'));
    const crashpad = (await reportsOf(sender)).find(({ dump_key }) => dump_key !== null)!;
    const { breadcrumbs, release } = (await readStoredEvent(server.ctx.blobs, crashpad))!;
    assert.deepEqual([breadcrumbs.length, release], [3, 'test-example-release']);
    const counts = await countsOf(sender);
    const expected = ['dropped transaction not_used', 'dropped profile not_used', 'dropped log not_used'];
    for (const name of [...expected, 'dropped trace_metric not_used', 'dropped check_in not_used'])
      assert.ok((counts.get(name) ?? 0) > 0, name);
    assert.equal(counts.get('dropped span not_used'), 12);
    const messages = [...counts].filter(([name]) => name.startsWith('message '));
    assert.equal(
      messages.reduce((sum, [, count]) => sum + count, 0),
      3,
    );
    assert.ok([...counts.keys()].some((name) => name.startsWith('discarded ')));
    await checkTickets(sender);
    // The attachment waits for an event that never comes.
    assert.equal(await countParts(sender), 1);
  });

  /** The message, the report that it is linked to, and the files. */
  async function checkTickets({ game }: CrashSender): Promise<void> {
    const tickets = await rows(
      server.ctx.db,
      sql<{ message: string; report: string | null; files: string[] }>`select message, crash_id as report, array(
            select name from bug_screenshots where bug_screenshots.bug_id = bug_tickets.bug_id union all
            select name from bug_attachments where bug_attachments.bug_id = bug_tickets.bug_id) as files
        from bug_tickets where game_id = ${game.uid} order by bug_id`,
    );
    const reports = await rows(
      server.ctx.db,
      sql<{
        id: string;
        message: string;
      }>`select report_id as id, message from crash_reports where game_id = ${game.uid}`,
    );
    const messageOf = (report: string | null) => reports.find(({ id }) => id === report)?.message ?? null;
    assert.deepEqual(
      tickets.map(({ message, report, files }) => [message, messageOf(report), files.length]),
      [
        ['I turned left', 'IllegalStateException: cannot load level', 0],
        ['I turned left', 'Error: cannot load level', 2],
        ['some-message', null, 3],
      ],
    );
  }

  it('are the same reports when they are sent again', async () => {
    const sender = await start();
    await replay(sender.dsn, requests);
    const once = await reportsOf(sender);
    await replay(sender.dsn, [...requests, '--zstd']);
    assert.deepEqual(await reportsOf(sender), once);
    await checkTickets(sender);
    for (const encoding of ['--deflate', '--br', '--gzip', '--plain']) {
      const answers = await replay(sender.dsn, [requests[0]!, '--fresh', encoding]);
      assert.match([...answers.values()][0]!, /^200 /, encoding);
    }
    assert.equal((await reportsOf(sender)).length, once.length + 4);
  });

  it('belong to the build of their version, once it is registered', async () => {
    const sender = await start();
    const buildId = await register(server, sender.game, { version: '1.2.0', os: 'linux' });
    await replay(sender.dsn, requests);
    const ofBuild = (await reportsOf(sender)).filter(({ build_id }) => build_id === buildId);
    // Two are of the release test-example-release.
    assert.equal(ofBuild.length, REPORTS.length - 2);
  });

  it('are nine sessions, of which two crashed, also when they are sent again', async () => {
    const sender = await start();
    await replay(sender.dsn, requests);
    assert.deepEqual(await sessionsOf(sender), [9, 2]);
    await replay(sender.dsn, [...requests.toReversed(), '--zstd']);
    assert.deepEqual(await sessionsOf(sender), [9, 2]);
  });

  async function sessionsOf({ game }: CrashSender): Promise<number[]> {
    const counted = await rows(
      server.ctx.db,
      sql<{
        sessions: number;
        crashed: number;
      }>`select sum(sessions)::bigint as sessions, sum(crashed)::bigint as crashed
        from sdk_session_days where game_id = ${game.uid}`,
    );
    return counted.flatMap(({ sessions, crashed }) => [sessions, crashed]);
  }

  async function countParts({ game }: CrashSender): Promise<number> {
    const parts = await rows(server.ctx.db, sql`select from sentry_parts where game_id = ${game.uid}`);
    return parts.length;
  }
});

/** The kind, the message, and whether there is a dump. */
const REPORTS = [
  ['error', 'ValueError: cannot load level', false],
  ['error', '*fmt.wrapError: load car: file not found', false],
  ['error', 'IllegalStateException: cannot load level', false],
  ['crash', 'RuntimeException: uncaught in thread', false],
  ['error', 'Error: cannot load level', false],
  ['crash', 'RangeError: unhandled one', false],
  ['crash', 'SIGSEGV: Segfault', false],
  ['crash', '', true],
  ['error', 'Os: Is a directory (os error 21)', false],
  ['crash', '', true],
  ['error', 'Error: cannot load level', false],
];
