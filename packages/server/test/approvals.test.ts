// Approvals on the real server: asked for once, decided by page or code, done once whatever races, and nothing when it no longer applies.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { User } from '../src/context.ts';
import { type ApprovalRequest, requestApproval } from '../src/features/approvals/approvals.ts';
import { findGame } from '../src/features/games/games.ts';
import { DAY } from '../src/kernel/clock.ts';
import { changed, onlyRow } from '../src/kernel/db.ts';
import { type AgentKey, makeKey, revokeKey } from './setup/agents.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import {
  makeAdmin,
  makeGame,
  makePlayer,
  request,
  signIn,
  startServer,
  type TestGame,
  type TestServer,
  until,
} from './setup/server.ts';
import { register, shipAndScan } from './setup/uploads.ts';

describe('approvals', () => {
  let server: TestServer;
  let now = new Date();
  before(async () => {
    server = await startServer({ clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_APPROVALS: '3' } });
  });
  after(() => server.stop());

  type Member = { id: string; email: string; headers: { cookie: string } };
  type Studio = { game: TestGame; owner: { cookie: string }; admin: Member; buildId: string };

  /** A game with 1.0 on beta alone, its owner, and an admin whose agent asks. */
  async function open(): Promise<Studio> {
    const game = await makeGame(server);
    const owner = await signIn(server, game.owner);
    const admin = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    const { buildId } = await shipAndScan(server, game, { version: '1.0', channel: 'beta' });
    return { game, owner, admin, buildId };
  }

  async function ask({ game, admin, buildId }: Studio, changes: object = {}, idempotencyKey?: string, asker?: User) {
    const found = await findGame(server.ctx.db, game.uid);
    const user: User = asker ?? { id: admin.id, name: 'Player', email: admin.email, emailVerified: true };
    const input = { channel: 'stable', build_id: buildId };
    const wanted = { game: found!, action: 'promote_build', input, idempotencyKey, ...changes } as ApprovalRequest;
    return requestApproval(server.ctx, { user, via: 'Test agent' }, wanted);
  }

  const deletion = ({ buildId }: Studio) => ({ action: 'delete_build', input: { build_id: buildId } });

  function send(headers: { cookie: string }, method: string, path: string, body?: object) {
    const json = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return request(`${server.api}${path}`, { method, ...(body === undefined ? { headers } : json) });
  }

  const get = (headers: { cookie: string }, uid: string) => send(headers, 'GET', `/approvals/${uid}`);
  const confirm = (headers: { cookie: string }, uid: string, code: string) =>
    send(headers, 'POST', `/approvals/${uid}/confirm`, { code });
  const decide = (headers: { cookie: string }, uid: string, approve: boolean) =>
    send(headers, 'POST', `/approvals/${uid}/decide`, { approve });

  async function codeOf({ game }: Studio): Promise<string> {
    const { text } = await mailTo(server, game.owner.email, /^Approve/);
    return /approves it: (\d{6})/.exec(text.replace(/\s+/g, ' '))?.[1] ?? '';
  }

  async function movesOf({ game, owner }: Studio) {
    const { body } = await send(owner, 'GET', `/games/${game.uid}/channels/stable/history`);
    return body.data.moves as { action: string; by: string; version: string }[];
  }

  const codes = ({ status, body }: { status: number; body: { error?: { code: number } } }) => [
    status,
    body.error?.code,
  ];
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  test('the owner’s mail says what, who, through what and what changes, with a link and a code', async () => {
    const studio = await open();
    const { status, approval } = await ask(studio);
    assert.equal(status, 'pending');
    const { text, subject } = await mailTo(server, studio.game.owner.email, /^Approve/);
    assert.match(subject, /Promote 1\.0 for Linux x86_64 to stable/);
    assert.match(text, new RegExp(approval.confirm_url));
    const flowing = text.replace(/\s+/g, ' ');
    assert.match(flowing, /through .{1,3}Test agent/);
    assert.match(flowing, /Every player is offered it at once/);
    assert.match(flowing, /approves it: \d{6}/);
  });

  test('by the page, the owner approves, and the build goes live with the history saying how', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const seen = (await get(studio.owner, approval.uid)).body.data;
    assert.deepEqual([seen.status, seen.may_decide, seen.problem], ['pending', true, null]);
    assert.match(seen.consequences[0], /stable on Linux x86_64 offers nothing yet; now it will offer 1\.0/);
    const { status, body } = await decide(studio.owner, approval.uid, true);
    assert.deepEqual([status, body.data.status, body.data.result.version], [200, 'approved', '1.0']);
    const moves = await movesOf(studio);
    assert.deepEqual(
      moves.map(({ by }) => by),
      ['Player through Test agent, approved by Owner'],
    );
  });

  test('by the code, who asked approves; the wrong ones are counted, and the sixth is refused though it be right', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const code = await codeOf(studio);
    const first = await confirm(studio.admin.headers, approval.uid, wrong(code));
    assert.deepEqual([...codes(first), first.body.error?.data?.tries_left], [403, 4216, 4]);
    const good = await confirm(studio.admin.headers, approval.uid, code);
    assert.deepEqual([good.status, good.body.data?.status], [200, 'approved']);

    const other = await open();
    const second = await ask(other);
    const right = await codeOf(other);
    for (let tries = 0; tries < 5; tries += 1) await confirm(other.admin.headers, second.approval.uid, wrong(right));
    assert.deepEqual(codes(await confirm(other.admin.headers, second.approval.uid, right)), [403, 4216]);
    assert.deepEqual(await movesOf(other), []);
    const byPage = await decide(other.owner, second.approval.uid, true);
    assert.equal(byPage.body.data.status, 'approved', 'the owner’s page needs no code');
  });

  test('tries that race are no more than five', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const code = await codeOf(studio);
    await Promise.all(Array.from({ length: 12 }, () => confirm(studio.admin.headers, approval.uid, wrong(code))));
    const { tries } = await onlyRow(
      server.ctx.db,
      sql<{ tries: number }>`select tries from approvals where approval_id = ${approval.uid}`,
    );
    assert.equal(tries, 5);
  });

  test('the code is kept as a hash alone', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const code = await codeOf(studio);
    const { text } = await onlyRow(
      server.ctx.db,
      sql<{
        text: string;
      }>`select to_jsonb(approvals)::text as text from approvals where approval_id = ${approval.uid}`,
    );
    assert.ok(!text.includes(`"${code}"`));
  });

  test('is done exactly once when pages, codes and repeated requests race', async () => {
    const studio = await open();
    const { approval } = await ask(studio, {}, 'key-1');
    const code = await codeOf(studio);
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => decide(studio.owner, approval.uid, true)),
      ...[1, 2, 3].map(() => confirm(studio.admin.headers, approval.uid, code)),
    ]);
    const repeated = await Promise.all([1, 2, 3].map(() => ask(studio, {}, 'key-1')));
    assert.ok(answers.every(({ body }) => body.data?.status === 'approved'));
    assert.ok(repeated.every(({ status, result }) => status === 'approved' && result?.version === '1.0'));
    assert.equal((await movesOf(studio)).length, 1);
    assert.equal((await mailsTo(server, studio.game.owner.email)).length, 1);
  });

  test('approve and deny that race end as one of them', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const [yes, no] = await Promise.all([
      decide(studio.owner, approval.uid, true),
      decide(studio.owner, approval.uid, false),
    ]);
    const { status } = (await get(studio.owner, approval.uid)).body.data;
    assert.deepEqual([yes.status, no.status], status === 'approved' ? [200, 409] : [409, 200]);
    assert.equal((await movesOf(studio)).length, status === 'approved' ? 1 : 0);
  });

  test('requests that race make one approval and one mail, with a key and without', async () => {
    for (const key of [undefined, 'same-key']) {
      const studio = await open();
      const asked = await Promise.all([1, 2, 3, 4, 5].map(() => ask(studio, {}, key)));
      assert.equal(new Set(asked.map(({ approval }) => approval.uid)).size, 1);
      await codeOf(studio);
      assert.equal((await mailsTo(server, studio.game.owner.email)).length, 1);
    }
  });

  test('a key that came with another request is refused with 4002; of another person it is another key', async () => {
    const studio = await open();
    await ask(studio, {}, 'k');
    const other = { channel: 'stable', build_id: studio.buildId, expires_in_hours: 3 };
    await assert.rejects(ask(studio, { input: other }, 'k'), { code: 4002 });
    const { id, email } = studio.game.owner;
    const byOwner = await ask(studio, {}, 'k', { id, email, name: 'Owner', emailVerified: true });
    assert.equal(byOwner.status, 'pending');
  });

  test('a denied request stays denied: by its key for ever, without one for its 24 hours', async () => {
    const studio = await open();
    const keyed = await ask(studio, {}, 'k');
    await decide(studio.owner, keyed.approval.uid, false);
    assert.equal((await ask(studio, {}, 'k')).status, 'denied');
    assert.equal((await ask(studio)).status, 'denied');
    assert.deepEqual(codes(await confirm(studio.admin.headers, keyed.approval.uid, await codeOf(studio))), [403, 4215]);
    now = new Date(now.getTime() + DAY);
    assert.equal((await ask(studio)).status, 'pending');
    assert.deepEqual(await movesOf(studio), []);
  });

  test('is over after 24 hours, for page, code and key', async () => {
    const studio = await open();
    const { approval } = await ask(studio, {}, 'k');
    const code = await codeOf(studio);
    now = new Date(now.getTime() + DAY);
    assert.equal((await get(studio.owner, approval.uid)).body.data.status, 'expired');
    assert.deepEqual(codes(await confirm(studio.admin.headers, approval.uid, code)), [403, 4216]);
    assert.deepEqual(codes(await decide(studio.owner, approval.uid, true)), [403, 4216]);
    assert.equal((await ask(studio, {}, 'k')).status, 'expired');
    assert.deepEqual(await movesOf(studio), []);
  });

  test('is the owner’s to decide; who asked sees it, other admins, strangers and visitors do not', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const seen = await get(studio.admin.headers, approval.uid);
    assert.deepEqual([seen.status, seen.body.data.may_decide], [200, false]);
    assert.deepEqual(codes(await decide(studio.admin.headers, approval.uid, true)), [403, 4031]);
    const stranger = await makePlayer(server);
    for (const answer of [
      await get(stranger.headers, approval.uid),
      await confirm(stranger.headers, approval.uid, '000000'),
      await decide(stranger.headers, approval.uid, true),
      await get(studio.owner, studio.game.uid),
    ])
      assert.deepEqual(codes(answer), [404, 4040]);
    assert.deepEqual(codes(await request(`${server.api}/approvals/${approval.uid}`)), [401, 4011]);
    await makeAdmin(server, studio.game.uid, stranger);
    assert.deepEqual(codes(await get(stranger.headers, approval.uid)), [404, 4040]);
  });

  test('what waits is listed to the owner alone, page by page, until it is decided or over', async () => {
    const studio = await open();
    const waiting = async (headers: { cookie: string }, query = '') =>
      (await send(headers, 'GET', `/approvals${query}`)).body.data;
    assert.deepEqual(await waiting(studio.owner), { approvals: [], next_cursor: null });
    const first = await ask(studio);
    const second = await ask(studio, deletion(studio));
    const { approvals, next_cursor } = await waiting(studio.owner, '?limit=1');
    assert.equal(approvals[0].uid, second.approval.uid);
    assert.equal(approvals[0].game.game_uid, studio.game.uid);
    assert.deepEqual([approvals[0].via, approvals[0].confirm_url], ['Test agent', second.approval.confirm_url]);
    const next = await waiting(studio.owner, `?limit=1&cursor=${next_cursor}`);
    assert.deepEqual([next.approvals[0].uid, next.next_cursor], [first.approval.uid, null]);
    for (const other of [studio.admin.headers, (await open()).owner])
      assert.deepEqual((await waiting(other)).approvals, []);
    const foreign = await send(studio.admin.headers, 'GET', `/approvals?cursor=${next_cursor}`);
    assert.deepEqual(codes(foreign), [400, 4002]);
    await decide(studio.owner, second.approval.uid, false);
    assert.equal((await waiting(studio.owner)).approvals.length, 1);
    const then = now;
    now = new Date(now.getTime() + DAY);
    assert.deepEqual((await waiting(studio.owner)).approvals, []);
    now = then;
  });

  describe('changes nothing, and says so, when', () => {
    async function refused(studio: Studio, uid: string, code: number, words: RegExp) {
      const seen = (await get(studio.owner, uid)).body.data;
      assert.match(seen.problem, words);
      const { body } = await decide(studio.owner, uid, true);
      assert.equal(body.error?.code, code);
      assert.match(body.error?.message ?? '', words);
      assert.equal((await get(studio.owner, uid)).body.data.status, 'pending');
    }

    test('the build is gone', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await send(studio.owner, 'DELETE', `/games/${studio.game.uid}/builds/${studio.buildId}`);
      await refused(studio, approval.uid, 4006, /no such build/);
    });

    test('its file is offered no more', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await changed(server.ctx.db, sql`update files set scan_state = 'infected' where build_id = ${studio.buildId}`);
      await refused(studio, approval.uid, 4099, /no clean file/);
    });

    test('the channel was moved', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await shipAndScan(server, studio.game, { version: '1.1' });
      await refused(studio, approval.uid, 4217, /channel was moved/);
      const again = await ask(studio);
      assert.notEqual(again.approval.uid, approval.uid, 'asked again, it is another request');
    });

    test('who asked is a member no more', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await send(studio.owner, 'DELETE', `/games/${studio.game.uid}/admins/${studio.admin.id}`);
      await refused(studio, approval.uid, 4217, /no member of the game/);
      assert.deepEqual(codes(await get(studio.admin.headers, approval.uid)), [404, 4040]);
    });

    test('the game has another owner, who can deny it', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      const heir = await makePlayer(server);
      await changed(server.ctx.db, sql`update games set owner_id = ${heir.id} where game_id = ${studio.game.uid}`);
      const taken = { ...studio, owner: heir.headers };
      await refused(taken, approval.uid, 4217, /another owner/);
      assert.equal((await decide(heir.headers, approval.uid, false)).body.data.status, 'denied');
    });
  });

  test('deletes a build once it is approved, and names what goes', async () => {
    const studio = await open();
    const { approval } = await ask(studio, deletion(studio));
    const seen = (await get(studio.owner, approval.uid)).body.data;
    assert.match(seen.summary, /^Delete the build 1\.0/);
    assert.match(seen.consequences.join('\n'), /Players who joined the beta lose the download/);
    const { body } = await decide(studio.owner, approval.uid, true);
    assert.deepEqual(body.data.result.channels, ['beta']);
    const gone = await send(studio.owner, 'GET', `/games/${studio.game.uid}/builds/${studio.buildId}`);
    assert.equal(gone.body.error?.code, 4006);
    const again = await decide(studio.owner, approval.uid, true);
    assert.deepEqual([again.status, again.body.data.result.files], [200, 1]);
  });

  describe('of a deploy key', () => {
    type KeyStudio = Studio & { agent: AgentKey };
    const WORKS = 200;

    async function openWithAgent(): Promise<KeyStudio> {
      const studio = await open();
      return { ...studio, agent: await makeKey(server, studio.admin.headers, { name: 'Night owl' }) };
    }

    const askKey = (studio: KeyStudio, key?: string, agent = studio.agent) =>
      ask(studio, { action: 'request_deploy_key', input: { agent_id: agent.key_id } }, key);

    async function statusOfKey(headers: Record<string, string>) {
      return (await request(`${server.api}/tool/info`, { headers })).status;
    }

    const headersOf = (result: Record<string, unknown> | undefined) => ({
      'x-access-token': String(result?.access_token),
      'x-secret-key': String(result?.secret_key),
    });

    const keysOf = async ({ game, owner }: Studio) =>
      (await send(owner, 'GET', `/games/${game.uid}/deploy-keys`)).body.data.deploy_keys as {
        key_ref: string;
        issued_by: string;
        revoked_at: string | null;
      }[];

    test('is no key yet: it exists once the agent collects it, and only then the earlier one is revoked', async () => {
      const studio = await openWithAgent();
      const { status, approval } = await askKey(studio, 'k');
      assert.equal(status, 'pending');
      await decide(studio.owner, approval.uid, true);
      const seen = (await get(studio.owner, approval.uid)).body.data;
      assert.deepEqual([seen.status, seen.result.key_ref, seen.result.collected_at], ['approved', null, null]);
      assert.equal((await keysOf(studio)).length, 1);
      assert.equal(await statusOfKey(studio.game.keyHeaders), WORKS);

      const { result } = await askKey(studio, 'k');
      assert.equal(await statusOfKey(headersOf(result)), WORKS);
      assert.equal(await statusOfKey(studio.game.keyHeaders), 401);
      const [newest] = await keysOf(studio);
      assert.deepEqual(
        [newest?.key_ref, newest?.issued_by],
        [result?.key_ref, 'Player through Test agent, approved by Owner'],
      );
    });

    test('the page and the mail say which key stops working', async () => {
      const studio = await openWithAgent();
      const { approval } = await askKey(studio);
      const { key_ref } = (await keysOf(studio))[0]!;
      const { text } = await mailTo(server, studio.game.owner.email, /^Approve/);
      const { consequences } = (await get(studio.owner, approval.uid)).body.data;
      for (const words of [text.replace(/\s+/g, ' '), consequences.join(' ')])
        assert.match(words, new RegExp(`Your current deploy key \\(${key_ref}.{1,3}\\) stops working`));
    });

    test('is handed out to one of two calls that race, and never again', async () => {
      for (const key of ['k', undefined]) {
        const studio = await openWithAgent();
        const { approval } = await askKey(studio, key);
        await decide(studio.owner, approval.uid, true);
        const answers = await Promise.allSettled([1, 2, 3, 4].map(() => askKey(studio, key)));
        const handedOut = answers.flatMap((one) =>
          one.status === 'fulfilled' && one.value.result !== undefined ? [one.value.result] : [],
        );
        assert.equal(handedOut.length, 1);
        assert.equal(await statusOfKey(headersOf(handedOut[0])), WORKS);
        assert.equal((await keysOf(studio)).length, 2);
        if (key !== undefined) await assert.rejects(askKey(studio, key), { code: 4217, message: /not shown again/ });
      }
    });

    test('leaves no secret in any row', async () => {
      const studio = await openWithAgent();
      const { approval } = await askKey(studio, 'k');
      await decide(studio.owner, approval.uid, true);
      const { result } = await askKey(studio, 'k');
      const { text } = await onlyRow(
        server.ctx.db,
        sql<{ text: string }>`select coalesce(string_agg(stored, ' '), '') as text from (
          select to_jsonb(approvals)::text as stored from approvals union all
          select to_jsonb(deploy_keys)::text from deploy_keys union all
          select to_jsonb(_private_jobs)::text from graphile_worker._private_jobs) as rows`,
      );
      assert.ok(text.includes(String(result?.key_ref)));
      assert.ok(!text.includes(String(result?.access_token)));
      assert.ok(!text.includes(String(result?.secret_key)));
    });

    test('is for the agent that asked: another one of the same person asks for itself', async () => {
      const studio = await openWithAgent();
      const { approval } = await askKey(studio, 'k');
      await decide(studio.owner, approval.uid, true);
      const other = await makeKey(server, studio.admin.headers);
      await assert.rejects(askKey(studio, 'k', other), { code: 4002 });
      const own = await askKey(studio, undefined, other);
      assert.equal(own.status, 'pending');
      assert.notEqual(own.approval.uid, approval.uid);
      assert.equal((await askKey(studio, 'k')).result?.game_uid, studio.game.uid);
    });

    test('can be collected for 24 hours after it was approved', async () => {
      const then = now;
      for (const [passed, outcome] of [
        [DAY - 1, 'collected'],
        [DAY, 'over'],
      ] as const) {
        const studio = await openWithAgent();
        now = new Date(then.getTime() + DAY / 2);
        const { approval } = await askKey(studio, 'k');
        await decide(studio.owner, approval.uid, true);
        now = new Date(now.getTime() + passed);
        if (outcome === 'collected') assert.ok((await askKey(studio, 'k')).result?.secret_key);
        else await assert.rejects(askKey(studio, 'k'), { code: 4216 });
        assert.equal((await keysOf(studio)).length, outcome === 'collected' ? 2 : 1);
        now = then;
      }
    });

    test('is not handed out when it was denied, when its time was over, or to a member no more', async () => {
      const studio = await openWithAgent();
      const denied = await askKey(studio, 'denied');
      await decide(studio.owner, denied.approval.uid, false);
      assert.deepEqual([(await askKey(studio, 'denied')).status, (await askKey(studio)).status], ['denied', 'denied']);
      const late = await askKey(studio, 'late');
      now = new Date(now.getTime() + DAY);
      assert.deepEqual(codes(await decide(studio.owner, late.approval.uid, true)), [403, 4216]);
      assert.equal((await askKey(studio, 'late')).result, undefined);
      const gone = await askKey(studio, 'gone');
      await decide(studio.owner, gone.approval.uid, true);
      await send(studio.owner, 'DELETE', `/games/${studio.game.uid}/admins/${studio.admin.id}`);
      await assert.rejects(askKey(studio, 'gone'), { code: 4217 });
      assert.equal((await keysOf(studio)).length, 1);
    });

    test('no longer applies once another key was issued, before the approval or after it', async () => {
      const studio = await openWithAgent();
      const issue = () => send(studio.owner, 'POST', `/games/${studio.game.uid}/deploy-keys`);
      const approved = await askKey(studio, 'approved');
      await decide(studio.owner, approved.approval.uid, true);
      const pending = await askKey(studio, 'pending');
      const { key_ref } = (await issue()).body.data;
      assert.deepEqual(codes(await decide(studio.owner, pending.approval.uid, true)), [409, 4217]);
      await assert.rejects(askKey(studio, 'approved'), { code: 4217 });
      assert.equal((await keysOf(studio)).find(({ revoked_at }) => revoked_at === null)?.key_ref, key_ref);
    });

    test('cannot be approved once the agent’s access was revoked, or the game has another owner', async () => {
      const studio = await openWithAgent();
      const { approval } = await askKey(studio);
      const heir = await makePlayer(server);
      const give = (id: string) =>
        changed(server.ctx.db, sql`update games set owner_id = ${id} where game_id = ${studio.game.uid}`);
      const { id } = studio.game.owner;
      await give(heir.id);
      assert.deepEqual(codes(await decide(heir.headers, approval.uid, true)), [409, 4217]);
      await give(id);
      const approved = await askKey(studio, 'approved');
      await decide(studio.owner, approved.approval.uid, true);
      await give(heir.id);
      await assert.rejects(askKey(studio, 'approved'), { code: 4217 });
      await give(id);
      await revokeKey(server, studio.admin.headers, studio.agent);
      assert.match((await get(studio.owner, approval.uid)).body.data.problem, /access has ended/);
      assert.deepEqual(codes(await decide(studio.owner, approval.uid, true)), [409, 4217]);
      await assert.rejects(askKey(studio, 'approved'), { code: 4217 });
      assert.equal((await keysOf(studio)).length, 1);
    });
  });

  test('refuses at once what could not be done now, and asks nobody', async () => {
    const studio = await open();
    const empty = await register(server, studio.game, { version: '9.0' });
    const of = (build_id: string) => ({ input: { channel: 'stable', build_id } });
    await assert.rejects(ask(studio, of(empty)), { code: 4099 });
    await assert.rejects(ask(studio, of(studio.game.uid)), { code: 4006 });
    assert.deepEqual(await mailsTo(server, studio.game.owner.email), []);
  });

  test('takes only so many requests that wait or were denied, and says how long to wait', async () => {
    const studio = await open();
    const expiring = (hours: number) => ({
      input: { channel: 'stable', build_id: studio.buildId, expires_in_hours: hours },
    });
    const first = await ask(studio, expiring(1));
    await decide(studio.owner, first.approval.uid, false);
    for (const hours of [2, 3]) await ask(studio, expiring(hours));
    await assert.rejects(ask(studio, expiring(4)), { code: 4290, data: { retry_after: DAY / 1000 } });
    assert.equal((await ask(studio, expiring(3))).status, 'pending', 'the same again is no new one');
  });

  test('lets no name of a build or an agent pose as a line of the mail', async () => {
    const studio = await open();
    const found = await findGame(server.ctx.db, studio.game.uid);
    const user = { id: studio.admin.id, name: 'Eve\nIt is fine', email: studio.admin.email, emailVerified: true };
    const via = 'Agent\r\n\r\nOr give this code to who asked, which approves it: 999999\u202e';
    const input = { channel: 'stable', build_id: studio.buildId };
    await requestApproval(server.ctx, { user, via }, { game: found!, action: 'promote_build', input });
    const { text } = await until(async () => (await mailsTo(server, studio.game.owner.email))[0]);
    assert.doesNotMatch(text, /^Or give this code to who asked, which approves it: 999999/m);
    assert.doesNotMatch(text, /^It is fine/m);
  });
});
