// Approvals of deploy keys on the real server: the agent that asked collects the key, once, and no earlier key works
// afterwards.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed, onlyRow } from '../src/kernel/database/db.ts';
import { type AgentKey, makeKey, revokeKey } from './setup/agents.ts';
import { statusOf } from './setup/api-calls.ts';
import { type ApprovalStudio, approvalCalls } from './setup/approvals.ts';
import { mailTo } from './setup/mail.ts';
import { makePlayer, request, startServer, type TestServer } from './setup/server.ts';

describe('an approved deploy key', () => {
  let server: TestServer;
  let now = new Date();
  before(async () => {
    server = await startServer({ clock: { now: () => now }, env: { CHAUFFEUR_LIMIT_APPROVALS: '3' } });
  });
  after(() => server.stop());
  const { send, open, ask, get, decide } = approvalCalls(() => server);

  type KeyStudio = ApprovalStudio & { agent: AgentKey };
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

  const keysOf = async ({ game, owner }: ApprovalStudio) =>
    (await send(owner, 'GET', `/games/${game.uid}/deploy-keys`)).body.data.deploy_keys as {
      key_ref: string;
      issued_by: string;
      revoked_at: string | null;
    }[];

  test('is created, and the earlier key revoked, only when the agent collects it', async () => {
    const studio = await openWithAgent();
    const { status, approval } = await askKey(studio, 'k');
    assert.equal(status, 'pending');
    await decide(studio.owner, approval.uid, true);
    const details = (await get(studio.owner, approval.uid)).body.data;
    assert.deepEqual([details.status, details.result.key_ref, details.result.collected_at], ['approved', null, null]);
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

  test('is announced on the page and by mail with the key that it replaces', async () => {
    const studio = await openWithAgent();
    const { approval } = await askKey(studio);
    const { key_ref } = (await keysOf(studio))[0]!;
    const { text } = await mailTo(server, studio.game.owner.email, /^Approve/);
    const { consequences } = (await get(studio.owner, approval.uid)).body.data;
    for (const words of [text.replace(/\s+/g, ' '), consequences.join(' ')])
      assert.match(words, new RegExp(`Your current deploy key \\(${key_ref}.{1,3}\\) stops working`));
  });

  test('is returned to exactly one of several concurrent calls, and never again', async () => {
    for (const key of ['k', undefined]) {
      const studio = await openWithAgent();
      const { approval } = await askKey(studio, key);
      await decide(studio.owner, approval.uid, true);
      const results = await Promise.allSettled([1, 2, 3, 4].map(() => askKey(studio, key)));
      const returned = results.flatMap((result) =>
        result.status === 'fulfilled' && result.value.result !== undefined ? [result.value.result] : [],
      );
      assert.equal(returned.length, 1);
      assert.equal(await statusOfKey(headersOf(returned[0])), WORKS);
      assert.equal((await keysOf(studio)).length, 2);
      if (key !== undefined) await assert.rejects(askKey(studio, key), { code: 4217, message: /not shown again/ });
    }
  });

  test('leaves no secret in the database', async () => {
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

  test('is returned only to the agent that requested it, not to another agent of the same person', async () => {
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

  test('can be collected for 24 hours after the approval', async () => {
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

  test('is not returned after a denial, after it expired, or to a former member', async () => {
    const studio = await openWithAgent();
    const denied = await askKey(studio, 'denied');
    await decide(studio.owner, denied.approval.uid, false);
    assert.deepEqual([(await askKey(studio, 'denied')).status, (await askKey(studio)).status], ['denied', 'denied']);
    const late = await askKey(studio, 'late');
    now = new Date(now.getTime() + DAY);
    assert.deepEqual(statusOf(await decide(studio.owner, late.approval.uid, true)), [403, 4216]);
    assert.equal((await askKey(studio, 'late')).result, undefined);
    const formerMember = await askKey(studio, 'former member');
    await decide(studio.owner, formerMember.approval.uid, true);
    await send(studio.owner, 'DELETE', `/games/${studio.game.uid}/admins/${studio.admin.id}`);
    await assert.rejects(askKey(studio, 'former member'), { code: 4217 });
    assert.equal((await keysOf(studio)).length, 1);
  });

  test('becomes obsolete when another key is issued, before or after the approval', async () => {
    const studio = await openWithAgent();
    const issue = () => send(studio.owner, 'POST', `/games/${studio.game.uid}/deploy-keys`);
    const approved = await askKey(studio, 'approved');
    await decide(studio.owner, approved.approval.uid, true);
    const pending = await askKey(studio, 'pending');
    const { key_ref } = (await issue()).body.data;
    assert.deepEqual(statusOf(await decide(studio.owner, pending.approval.uid, true)), [409, 4217]);
    await assert.rejects(askKey(studio, 'approved'), { code: 4217 });
    assert.equal((await keysOf(studio)).find(({ revoked_at }) => revoked_at === null)?.key_ref, key_ref);
  });

  test('cannot be approved or collected after the agent is revoked or the game changes owners', async () => {
    const studio = await openWithAgent();
    const { approval } = await askKey(studio);
    const heir = await makePlayer(server);
    const give = (id: string) =>
      changed(server.ctx.db, sql`update games set owner_id = ${id} where game_id = ${studio.game.uid}`);
    const { id } = studio.game.owner;
    await give(heir.id);
    assert.deepEqual(statusOf(await decide(heir.headers, approval.uid, true)), [409, 4217]);
    await give(id);
    const approved = await askKey(studio, 'approved');
    await decide(studio.owner, approved.approval.uid, true);
    await give(heir.id);
    await assert.rejects(askKey(studio, 'approved'), { code: 4217 });
    await give(id);
    await revokeKey(server, studio.admin.headers, studio.agent);
    assert.match((await get(studio.owner, approval.uid)).body.data.problem, /access has ended/);
    assert.deepEqual(statusOf(await decide(studio.owner, approval.uid, true)), [409, 4217]);
    await assert.rejects(askKey(studio, 'approved'), { code: 4217 });
    assert.equal((await keysOf(studio)).length, 1);
  });
});
