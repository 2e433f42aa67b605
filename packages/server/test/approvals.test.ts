// Approvals on the real server: requested once, decided on the page or with the code, applied once, and refused when
// outdated.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { findGame } from '../src/people/game-access/game-access.sql.ts';
import { requestApproval } from '../src/team/approvals/approvals.ts';
import { statusOf } from './setup/api-calls.ts';
import { type ApprovalStudio, approvalCalls } from './setup/approvals.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { makeAdmin, makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { register, shipAndScan } from './setup/uploads.ts';

describe('approvals', () => {
  let server: TestServer;
  let now = new Date();
  before(async () => {
    server = await startServer({ clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_APPROVALS: '3' } });
  });
  after(() => server.stop());
  const { send, open, ask, get, confirm, decide, codeOf, movesOf } = approvalCalls(() => server);

  const deletion = ({ buildId }: ApprovalStudio) => ({ action: 'delete_build', input: { build_id: buildId } });
  const approvalMailsTo = async ({ game }: ApprovalStudio) =>
    (await mailsTo(server, game.owner.email)).filter(({ subject }) => /^Approve/.test(subject));
  const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

  test('the mail to the owner names the action, the requester, the agent and the effect, with a link and a code', async () => {
    const studio = await open();
    const { status, approval } = await ask(studio);
    assert.equal(status, 'pending');
    const { text, subject } = await mailTo(server, studio.game.owner.email, /^Approve/);
    assert.match(subject, /Promote 1\.0 for Linux x86_64 to stable/);
    assert.match(text, new RegExp(approval.confirm_url));
    const flowing = text.replace(/\s+/g, ' ');
    assert.match(flowing, /through .{1,3}Test agent/);
    assert.match(flowing, /It is available to all players immediately/);
    assert.match(flowing, /Confirmation code: \d{6}/);
  });

  test('the owner approves on the page: the build goes live and the history records the approval', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const details = (await get(studio.owner, approval.uid)).body.data;
    assert.deepEqual([details.status, details.may_decide, details.problem], ['pending', true, null]);
    assert.match(details.consequences[0], /stable on Linux x86_64 offers nothing yet and will offer 1\.0/);
    const { status, body } = await decide(studio.owner, approval.uid, true);
    assert.deepEqual([status, body.data.status, body.data.result.version], [200, 'approved', '1.0']);
    const moves = await movesOf(studio);
    assert.deepEqual(
      moves.map(({ by }) => by),
      ['Player through Test agent, approved by Owner'],
    );
  });

  test('the requester approves with the code; after five wrong codes even the correct one is refused', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const code = await codeOf(studio);
    const first = await confirm(studio.admin.headers, approval.uid, wrong(code));
    assert.deepEqual([...statusOf(first), first.body.error?.data?.tries_left], [403, 4216, 4]);
    const good = await confirm(studio.admin.headers, approval.uid, code);
    assert.deepEqual([good.status, good.body.data?.status], [200, 'approved']);

    const other = await open();
    const second = await ask(other);
    const right = await codeOf(other);
    for (let tries = 0; tries < 5; tries += 1) await confirm(other.admin.headers, second.approval.uid, wrong(right));
    assert.deepEqual(statusOf(await confirm(other.admin.headers, second.approval.uid, right)), [403, 4216]);
    assert.deepEqual(await movesOf(other), []);
    const byPage = await decide(other.owner, second.approval.uid, true);
    assert.equal(byPage.body.data.status, 'approved', 'the page needs no code');
  });

  test('concurrent wrong codes count as at most five tries', async () => {
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

  test('the code is stored only as a hash', async () => {
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

  test('an approved action runs exactly once when decisions, codes and repeated requests race', async () => {
    const studio = await open();
    const { approval } = await ask(studio, {}, 'key-1');
    const code = await codeOf(studio);
    const responses = await Promise.all([
      ...[1, 2, 3].map(() => decide(studio.owner, approval.uid, true)),
      ...[1, 2, 3].map(() => confirm(studio.admin.headers, approval.uid, code)),
    ]);
    const repeated = await Promise.all([1, 2, 3].map(() => ask(studio, {}, 'key-1')));
    assert.ok(responses.every(({ body }) => body.data?.status === 'approved'));
    assert.ok(repeated.every(({ status, result }) => status === 'approved' && result?.version === '1.0'));
    assert.equal((await movesOf(studio)).length, 1);
    assert.equal((await approvalMailsTo(studio)).length, 1);
  });

  test('of a concurrent approval and denial, exactly one takes effect', async () => {
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

  test('concurrent equal requests create one approval and one mail, with or without an idempotency key', async () => {
    for (const key of [undefined, 'same-key']) {
      const studio = await open();
      const requests = await Promise.all([1, 2, 3, 4, 5].map(() => ask(studio, {}, key)));
      assert.equal(new Set(requests.map(({ approval }) => approval.uid)).size, 1);
      await codeOf(studio);
      assert.equal((await approvalMailsTo(studio)).length, 1);
    }
  });

  test('an idempotency key reused for another request is refused with 4002; each user has their own keys', async () => {
    const studio = await open();
    await ask(studio, {}, 'k');
    const other = { channel: 'stable', build_id: studio.buildId, expires_in_hours: 3 };
    await assert.rejects(ask(studio, { input: other }, 'k'), { code: 4002 });
    const { id, email } = studio.game.owner;
    const byOwner = await ask(studio, {}, 'k', { id, email, name: 'Owner', emailVerified: true });
    assert.equal(byOwner.status, 'pending');
  });

  test('a denied request stays denied: permanently by its idempotency key, otherwise for its 24 hours', async () => {
    const studio = await open();
    const keyed = await ask(studio, {}, 'k');
    await decide(studio.owner, keyed.approval.uid, false);
    assert.equal((await ask(studio, {}, 'k')).status, 'denied');
    assert.equal((await ask(studio)).status, 'denied');
    assert.deepEqual(
      statusOf(await confirm(studio.admin.headers, keyed.approval.uid, await codeOf(studio))),
      [403, 4215],
    );
    now = new Date(now.getTime() + DAY);
    assert.equal((await ask(studio)).status, 'pending');
    assert.deepEqual(await movesOf(studio), []);
  });

  test('an approval expires after 24 hours, for the page, the code and the idempotency key', async () => {
    const studio = await open();
    const { approval } = await ask(studio, {}, 'k');
    const code = await codeOf(studio);
    now = new Date(now.getTime() + DAY);
    assert.equal((await get(studio.owner, approval.uid)).body.data.status, 'expired');
    assert.deepEqual(statusOf(await confirm(studio.admin.headers, approval.uid, code)), [403, 4216]);
    assert.deepEqual(statusOf(await decide(studio.owner, approval.uid, true)), [403, 4216]);
    assert.equal((await ask(studio, {}, 'k')).status, 'expired');
    assert.deepEqual(await movesOf(studio), []);
  });

  test('only the owner decides; the requester can see it, but other admins, strangers and visitors cannot', async () => {
    const studio = await open();
    const { approval } = await ask(studio);
    const forRequester = await get(studio.admin.headers, approval.uid);
    assert.deepEqual([forRequester.status, forRequester.body.data.may_decide], [200, false]);
    assert.deepEqual(statusOf(await decide(studio.admin.headers, approval.uid, true)), [403, 4031]);
    const stranger = await makePlayer(server);
    for (const response of [
      await get(stranger.headers, approval.uid),
      await confirm(stranger.headers, approval.uid, '000000'),
      await decide(stranger.headers, approval.uid, true),
      await get(studio.owner, studio.game.uid),
    ])
      assert.deepEqual(statusOf(response), [404, 4040]);
    assert.deepEqual(statusOf(await request(`${server.api}/approvals/${approval.uid}`)), [401, 4011]);
    await makeAdmin(server, studio.game.uid, stranger);
    assert.deepEqual(statusOf(await get(stranger.headers, approval.uid)), [404, 4040]);
  });

  test('pending approvals are listed to the owner only, in pages, until they are decided or expire', async () => {
    const studio = await open();
    const listPending = async (headers: { cookie: string }, query = '') =>
      (await send(headers, 'GET', `/approvals${query}`)).body.data;
    assert.deepEqual(await listPending(studio.owner), { approvals: [], next_cursor: null });
    const first = await ask(studio);
    const second = await ask(studio, deletion(studio));
    const { approvals, next_cursor } = await listPending(studio.owner, '?limit=1');
    assert.equal(approvals[0].uid, second.approval.uid);
    assert.equal(approvals[0].game.game_uid, studio.game.uid);
    assert.deepEqual([approvals[0].via, approvals[0].confirm_url], ['Test agent', second.approval.confirm_url]);
    const next = await listPending(studio.owner, `?limit=1&cursor=${next_cursor}`);
    assert.deepEqual([next.approvals[0].uid, next.next_cursor], [first.approval.uid, null]);
    for (const other of [studio.admin.headers, (await open()).owner])
      assert.deepEqual((await listPending(other)).approvals, []);
    const foreign = await send(studio.admin.headers, 'GET', `/approvals?cursor=${next_cursor}`);
    assert.deepEqual(statusOf(foreign), [400, 4002]);
    await decide(studio.owner, second.approval.uid, false);
    assert.equal((await listPending(studio.owner)).approvals.length, 1);
    const then = now;
    now = new Date(now.getTime() + DAY);
    assert.deepEqual((await listPending(studio.owner)).approvals, []);
    now = then;
  });

  describe('are refused with a reason and stay pending when', () => {
    async function assertRefused(studio: ApprovalStudio, uid: string, code: number, words: RegExp) {
      const details = (await get(studio.owner, uid)).body.data;
      assert.match(details.problem, words);
      const { body } = await decide(studio.owner, uid, true);
      assert.equal(body.error?.code, code);
      assert.match(body.error?.message ?? '', words);
      assert.equal((await get(studio.owner, uid)).body.data.status, 'pending');
    }

    test('the build was deleted', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await send(studio.owner, 'DELETE', `/games/${studio.game.uid}/builds/${studio.buildId}`);
      await assertRefused(studio, approval.uid, 4006, /no such build/);
    });

    test('the build has no clean file anymore', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await changed(server.ctx.db, sql`update files set scan_state = 'infected' where build_id = ${studio.buildId}`);
      await assertRefused(studio, approval.uid, 4099, /no clean file/);
    });

    test('the channel has moved', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await shipAndScan(server, studio.game, { version: '1.1' });
      await assertRefused(studio, approval.uid, 4217, /channel has moved/);
      const again = await ask(studio);
      assert.notEqual(again.approval.uid, approval.uid, 'a repeated request creates a new approval');
    });

    test('the requester is not a member anymore', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      await send(studio.owner, 'DELETE', `/games/${studio.game.uid}/admins/${studio.admin.id}`);
      await assertRefused(studio, approval.uid, 4217, /no longer a member of the game/);
      assert.deepEqual(statusOf(await get(studio.admin.headers, approval.uid)), [404, 4040]);
    });

    test('the game has a new owner, who can still deny it', async () => {
      const studio = await open();
      const { approval } = await ask(studio);
      const newOwner = await makePlayer(server);
      await changed(server.ctx.db, sql`update games set owner_id = ${newOwner.id} where game_id = ${studio.game.uid}`);
      const taken = { ...studio, owner: newOwner.headers };
      await assertRefused(taken, approval.uid, 4217, /new owner/);
      assert.equal((await decide(newOwner.headers, approval.uid, false)).body.data.status, 'denied');
    });
  });

  test('a build deletion lists its consequences and runs after the approval', async () => {
    const studio = await open();
    const { approval } = await ask(studio, deletion(studio));
    const details = (await get(studio.owner, approval.uid)).body.data;
    assert.match(details.summary, /^Delete the build 1\.0/);
    assert.match(details.consequences.join('\n'), /Beta members lose the download/);
    const { body } = await decide(studio.owner, approval.uid, true);
    assert.deepEqual(body.data.result.channels, ['beta']);
    const deleted = await send(studio.owner, 'GET', `/games/${studio.game.uid}/builds/${studio.buildId}`);
    assert.equal(deleted.body.error?.code, 4006);
    const again = await decide(studio.owner, approval.uid, true);
    assert.deepEqual([again.status, again.body.data.result.files], [200, 1]);
  });

  test('a request that could not run now is refused immediately and sends no mail', async () => {
    const studio = await open();
    const empty = await register(server, studio.game, { version: '9.0' });
    const of = (build_id: string) => ({ input: { channel: 'stable', build_id } });
    await assert.rejects(ask(studio, of(empty)), { code: 4099 });
    await assert.rejects(ask(studio, of(studio.game.uid)), { code: 4006 });
    assert.deepEqual(await approvalMailsTo(studio), []);
  });

  test('the number of pending and denied requests is limited, and the error says how long to wait', async () => {
    const studio = await open();
    const expiring = (hours: number) => ({
      input: { channel: 'stable', build_id: studio.buildId, expires_in_hours: hours },
    });
    const first = await ask(studio, expiring(1));
    await decide(studio.owner, first.approval.uid, false);
    for (const hours of [2, 3]) await ask(studio, expiring(hours));
    await assert.rejects(ask(studio, expiring(4)), { code: 4290, data: { retry_after: DAY / 1000 } });
    assert.equal((await ask(studio, expiring(3))).status, 'pending', 'a repeated request does not count again');
  });

  test('names of users and agents cannot imitate lines of the mail', async () => {
    const studio = await open();
    const game = await findGame(server.ctx.db, studio.game.uid);
    const user = { id: studio.admin.id, name: 'Eve\nIt is fine', email: studio.admin.email, emailVerified: true };
    const via = 'Agent\r\n\r\nConfirmation code: 999999\u202e';
    const input = { channel: 'stable', build_id: studio.buildId };
    await requestApproval(server.ctx, { user, via }, { game: game!, action: 'promote_build', input });
    const { text } = await until(async () => (await approvalMailsTo(studio))[0]);
    assert.doesNotMatch(text, /^Confirmation code: 999999/m);
    assert.doesNotMatch(text, /^It is fine/m);
  });
});
