// Operators on the real server: who they are, what they see of the service, and how they handle failed jobs and
// accounts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { addJob } from '../src/kernel/jobs/jobs.ts';
import { countUse } from '../src/kernel/limits/rate-limit.ts';
import { setUserOperator } from '../src/people/accounts/accounts.ts';
import { sendEmailJob } from '../src/people/emails/emails.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { mailsTo } from './setup/mail.ts';
import { makeGame, makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { shipAndScan } from './setup/uploads.ts';

const SECRET = 'a secret of more than thirty-two characters';

describe('operators', () => {
  let server: TestServer;
  let headers: { cookie: string };
  before(async () => {
    server = await startServer();
    const person = await makePlayer(server);
    await setUserOperator(server.ctx, person.email, true);
    headers = person.headers;
  });
  after(() => server.stop());

  const call = (method: string, path: string, body?: object, caller = headers) =>
    callApi(server, caller, method, `/operator${path}`, body);

  test('are the only ones with access: 4011 for visitors, 4033 for other accounts and former operators', async () => {
    const visitor = await request(`${server.api}/operator/state`);
    assert.deepEqual(statusOf(visitor), [401, 4011]);
    const player = await makePlayer(server);
    const paths: [string, string, object?][] = [
      ['GET', '/state'],
      ['GET', '/jobs/failed'],
      ['POST', '/jobs/retry', {}],
      ['DELETE', '/jobs/1'],
      ['GET', '/users'],
      ['POST', `/users/${player.id}/verify`],
      ['POST', `/users/${player.id}/sign-out`],
      ['GET', '/settings'],
      ['GET', '/games'],
      ['GET', '/games/any-game/quota'],
      ['PUT', '/games/any-game/quota', { storage_mb: 0, crash_mb: 0 }],
    ];
    for (const [method, path, body] of paths) {
      const response = await call(method, path, body, player.headers);
      assert.deepEqual(statusOf(response), [403, 4033], `${method} ${path}`);
    }
    await setUserOperator(server.ctx, player.email, true);
    assert.equal((await call('GET', '/state', undefined, player.headers)).status, 200);
    await setUserOperator(server.ctx, player.email, false);
    assert.equal((await call('GET', '/state', undefined, player.headers)).body.error?.code, 4033);
  });

  test('cannot appoint themselves at sign-up or by changing their account', async () => {
    const email = 'eve@example.com';
    const json = { 'content-type': 'application/json', origin: server.url };
    const account = { name: 'Eve', email, password: 'correct horse battery', operator: true };
    await fetch(`${server.url}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(account),
    });
    const player = await makePlayer(server);
    await fetch(`${server.url}/api/auth/update-user`, {
      method: 'POST',
      headers: { ...json, ...player.headers },
      body: JSON.stringify({ name: 'Still a player', operator: true }),
    });
    const { operators } = await onlyRow(
      server.ctx.db,
      sql<{
        operators: number;
      }>`select count(*) as operators from users where operator and (email = ${email} or id = ${player.id})`,
    );
    assert.equal(operators, 0);
  });

  test('see the state of the queue, storage, scanner, database and processes, and their problems', async () => {
    const game = await makeGame(server);
    await shipAndScan(server, game);
    const { status, body } = await call('GET', '/state');
    assert.equal(status, 200);
    const { storage, scanner, database, processes, problems, totals, mail, queue } = body.data;
    assert.deepEqual([storage.kind, storage.reachable, mail.by], ['files', true, 'outbox']);
    assert.ok(storage.free_bytes > 0 && storage.total_bytes >= storage.free_bytes);
    assert.equal(storage.kept.find(({ what }: { what: string }) => what === 'builds').count, 1);
    assert.deepEqual([scanner.configured, scanner.reachable], [false, false]);
    assert.match(database.version, /^\d+/);
    assert.ok(database.bytes > 0 && database.migrations > 10);
    assert.deepEqual(
      processes.map(({ role, alive, takes_jobs }: Record<string, unknown>) => [role, alive, takes_jobs]),
      [['start', true, true]],
    );
    assert.ok(totals.games >= 1 && totals.builds >= 1);
    assert.equal(typeof queue.waiting, 'number');
    // Those of the tests' PostgreSQL are off to save time.
    assert.deepEqual(
      problems.filter(({ level }: { level: string }) => level === 'bad').map(({ part }: { part: string }) => part),
      database.unsafe_settings.length > 0 ? ['database'] : [],
    );
    assert.ok(problems.some(({ part }: { part: string }) => part === 'scanner'));
  });

  describe('with failed jobs', () => {
    /** Adds a mail job that has failed permanently, as the queue would leave it, and returns its id. */
    async function failedEmail(to: string, error = 'Error: no'): Promise<string> {
      // Not due, so no worker takes it in the meantime.
      await addJob(server.ctx.db, sendEmailJob, { to, subject: 'Code 123456', text: 'code 123456' }, to);
      const { id } = await onlyRow(
        server.ctx.db,
        sql<{ id: string }>`select id::text from graphile_worker.jobs where key = ${to}`,
      );
      await changed(
        server.ctx.db,
        sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = ${error} where id = ${id}::bigint`,
      );
      return id;
    }

    const failed = async () =>
      (await call('GET', '/jobs/failed')).body.data.jobs as { job_id: string; error: string }[];

    before(async () => {
      // A worker would send these mails before they could fail.
      await server.stop();
      server = await startServer({ role: 'api', env: { CHAUFFEUR_SECRET: SECRET } });
      const person = await makePlayer(server);
      await setUserOperator(server.ctx, person.email, true);
      headers = person.headers;
    });

    test('see which ones failed and why, without addresses or mail texts', async () => {
      const job = await failedEmail('ann@example.com', 'Error: 550 <ann@example.com>: unknown recipient');
      const [first] = await failed();
      assert.deepEqual([first?.job_id, first?.error], [job, 'Error: 550 <‹address›>: unknown recipient']);
      const whole = JSON.stringify((await call('GET', '/jobs/failed')).body);
      assert.doesNotMatch(whole, /ann@example|123456/);
      const { problems, queue } = (await call('GET', '/state')).body.data;
      assert.equal(queue.failed, 1);
      assert.ok(problems.some(({ says }: { says: string }) => /1 job has failed/.test(says)));
    });

    test('page through them by cursor, each exactly once', async () => {
      for (let index = 0; index < 6; index += 1) await failedEmail(`page-${index}@example.com`);
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { data } = (await call('GET', `/jobs/failed?limit=2${query}`)).body;
        seen.push(...data.jobs.map(({ job_id }: { job_id: string }) => job_id));
        cursor = data.next_cursor;
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.equal(seen.length, (await failed()).length);
    });

    test('delete one, and get an error if it is already gone', async () => {
      const job = await failedEmail('gone@example.com');
      assert.deepEqual((await call('DELETE', `/jobs/${job}`)).body.data, { deleted: 1 });
      assert.equal((await call('DELETE', `/jobs/${job}`)).body.error?.code, 4040);
      assert.equal((await call('POST', '/jobs/retry', { job_id: job })).body.error?.code, 4040);
      assert.equal((await call('DELETE', '/jobs/x')).body.error?.code, 4002);
    });

    test('cannot change a job that still has attempts left', async () => {
      await addJob(server.ctx.db, sendEmailJob, { to: 'w@example.com', subject: 's', text: 't' }, 'waiting');
      const { id } = await onlyRow(
        server.ctx.db,
        sql<{ id: string }>`select id::text from graphile_worker.jobs where key = 'waiting'`,
      );
      assert.equal((await call('DELETE', `/jobs/${id}`)).body.error?.code, 4040);
    });

    test('retry one or all, which then complete', async () => {
      const job = await failedEmail('again@example.com');
      assert.deepEqual((await call('POST', '/jobs/retry', { job_id: job })).body.data, { retried: 1 });
      const before = (await failed()).length;
      assert.ok(before > 0);
      assert.deepEqual((await call('POST', '/jobs/retry', {})).body.data, { retried: before });
      assert.deepEqual(await failed(), []);
      const worker = await startServer({ role: 'worker', shareWith: server });
      try {
        await until(async () => (await mailsTo(server, 'again@example.com')).length === 1);
      } finally {
        await worker.stop();
      }
    });
  });

  test('find users by name or email in pages, and verify them or sign them out', async () => {
    const player = await makePlayer(server);
    for (let index = 0; index < 3; index += 1) await makePlayer(server);
    const { data: first } = (await call('GET', '/users?limit=2')).body;
    const { data: second } = (await call('GET', `/users?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    const ids = [...first.users, ...second.users].map(({ user_id }: { user_id: string }) => user_id);
    assert.equal(new Set(ids).size, 4);
    const { data } = (await call('GET', `/users?search=${encodeURIComponent(player.email.toUpperCase())}`)).body;
    assert.deepEqual(
      data.users.map(({ user_id, sessions, operator }: Record<string, unknown>) => [user_id, sessions, operator]),
      [[player.id, 1, false]],
    );
    await changed(server.ctx.db, sql`update users set email_verified = false where id = ${player.id}`);
    assert.equal((await call('POST', `/users/${player.id}/verify`)).body.data.verified, true);
    assert.equal((await call('POST', `/users/${player.id}/sign-out`)).body.data.sessions, 0);
    const after = await request(`${server.api}/games`, { headers: player.headers });
    assert.equal(after.body.error?.code, 4011);
    const unknownUser = await call('POST', '/users/00000000-0000-7000-8000-000000000000/verify');
    assert.deepEqual([unknownUser.status, unknownUser.body.error?.code], [404, 4040]);
  });

  test('see the settings without secrets, and the games that are close to their limits', async () => {
    const game = await makeGame(server);
    const worker = await startServer({ role: 'worker', shareWith: server });
    try {
      await shipAndScan(server, game);
    } finally {
      await worker.stop();
    }
    // No setting changes this limit.
    await countUse(server.ctx, server.ctx.db, game.uid, { name: 'replies', max: 100, windowSeconds: 3600 });
    const { status, body } = await call('GET', '/settings');
    assert.equal(status, 200);
    assert.ok(!JSON.stringify(body).includes(SECRET));
    const used = body.data.limits_in_use.filter(({ game_uid }: { game_uid: string }) => game_uid === game.uid);
    assert.deepEqual(
      used.map(({ limit, used, most }: { limit: string; used: number; most: number }) => [limit, used, most]),
      [['uploads', 1, 60]],
    );
  });
});
