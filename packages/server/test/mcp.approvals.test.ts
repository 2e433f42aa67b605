// Approvals over MCP on the real server: which changes wait for the owner, which do not, and that each runs once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Agent, type AgentKey, codeOf, connect, makeKey } from './setup/agents.ts';
import { callApi } from './setup/api-calls.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { makeGame, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';
import { shipAndScan } from './setup/uploads.ts';

describe('a risky change', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  type Studio = {
    game: TestGame;
    owner: { cookie: string };
    agent: Agent;
    key: AgentKey;
    buildId: string;
    promotion: Record<string, unknown>;
  };

  async function open(): Promise<Studio> {
    const game = await makeGame(server);
    const owner = await signIn(server, game.owner);
    const { buildId } = await shipAndScan(server, game, { version: '1.0', channel: 'beta' });
    const key = await makeKey(server, owner, { name: 'Night owl' });
    const agent = await connect(server, key.key);
    return { game, owner, agent, key, buildId, promotion: { uid: game.slug, build_id: buildId, channel: 'stable' } };
  }

  async function stableOf({ game, owner }: Studio): Promise<string[]> {
    const { body } = await request(`${server.api}/games/${game.uid}/channels`, { headers: owner });
    const channels = body.data.channels as { channel: string; version: string }[];
    return channels.filter(({ channel }) => channel === 'stable').map(({ version }) => version);
  }

  async function movesOf({ game, owner }: Studio): Promise<number> {
    const { body } = await request(`${server.api}/games/${game.uid}/channels/stable/history`, { headers: owner });
    return body.data.moves.length;
  }

  async function mailedCode({ game }: Studio): Promise<string> {
    const { text } = await mailTo(server, game.owner.email, /^Approve/);
    return /\b(\d{6})\b/.exec(text)?.[1] ?? '';
  }

  const approvalMailsTo = async (game: TestGame) =>
    (await mailsTo(server, game.owner.email)).filter(({ subject }) => /^Approve/.test(subject));

  test('returns a pending approval as a result, and the mail to the owner names the agent', async () => {
    const studio = await open();
    const result = await studio.agent.call('promote_build', studio.promotion);
    assert.equal(codeOf(result), 0);
    const waiting = result.structuredContent;
    assert.equal(waiting.code, 4214);
    assert.ok(waiting.approval.confirm_url.startsWith(`${server.url}/approve/`));
    assert.match(result.content[0]?.text ?? '', /code: 4214/);
    const mail = await mailTo(server, studio.game.owner.email, /^Approve/);
    assert.match(mail.text.replace(/\s+/g, ' '), /Night owl/);
    assert.deepEqual(await stableOf(studio), []);
    const { body } = await request(`${server.api}/games/${studio.game.uid}/agent-calls`, { headers: studio.owner });
    assert.deepEqual([body.data.calls[0].tool, body.data.calls[0].outcome], ['promote_build', 4214]);
    const { structuredContent } = await studio.agent.call('get_approval', { uid: waiting.approval.uid });
    assert.equal(structuredContent.status, 'pending');
  });

  test('runs once when the code is given, however often it is requested again', async () => {
    const studio = await open();
    const asking = { ...studio.promotion, idempotency_key: 'release-1' };
    const first = await Promise.all(Array.from({ length: 4 }, () => studio.agent.call('promote_build', asking)));
    const uids = new Set(first.map(({ structuredContent }) => structuredContent.approval.uid));
    assert.equal(uids.size, 1);
    const [uid] = uids;
    const code = await mailedCode(studio);
    assert.equal((await approvalMailsTo(studio.game)).length, 1);
    assert.equal(
      codeOf(await studio.agent.call('confirm_approval', { uid, code: code === '111111' ? '222222' : '111111' })),
      4216,
    );
    const confirmed = await Promise.all(
      Array.from({ length: 3 }, () => studio.agent.call('confirm_approval', { uid, code })),
    );
    for (const result of confirmed) assert.equal(result.structuredContent.status, 'approved');
    assert.deepEqual(await stableOf(studio), ['1.0']);
    const again = await studio.agent.call('promote_build', asking);
    assert.equal(again.structuredContent.code, undefined);
    assert.equal(again.structuredContent.version, '1.0');
    assert.equal(await movesOf(studio), 1);
  });

  test('that the owner denies returns an error that says so', async () => {
    const studio = await open();
    const asking = { uid: studio.game.uid, build_id: studio.buildId, idempotency_key: 'd' };
    const { structuredContent } = await studio.agent.call('delete_build', asking);
    const { uid } = structuredContent.approval;
    await request(`${server.api}/approvals/${uid}/decide`, {
      method: 'POST',
      headers: { ...studio.owner, 'content-type': 'application/json' },
      body: JSON.stringify({ approve: false }),
    });
    assert.equal(codeOf(await studio.agent.call('delete_build', asking)), 4215);
    assert.equal(codeOf(await studio.agent.call('get_approval', { uid })), 0);
  });

  test('is validated before the owner is asked', async () => {
    const { agent, game, promotion, buildId } = await open();
    assert.equal(codeOf(await agent.call('promote_build', { ...promotion, expires_in_hours: 9999 })), 4226);
    assert.equal(codeOf(await agent.call('promote_build', { ...promotion, build_id: 'x' })), 4006);
    assert.equal(
      codeOf(await agent.call('delete_build', { uid: game.uid, build_id: buildId, idempotency_key: '' })),
      4002,
    );
    assert.deepEqual(await approvalMailsTo(game), []);
  });

  test('cannot be decided by the agent with its own key', async () => {
    const studio = await open();
    const { structuredContent } = await studio.agent.call('promote_build', studio.promotion);
    const { uid } = structuredContent.approval;
    const { status } = await request(`${server.api}/approvals/${uid}/decide`, {
      method: 'POST',
      headers: { authorization: `Bearer ${studio.key.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ approve: true }),
    });
    assert.equal(status, 401);
    assert.deepEqual(await stableOf(studio), []);
  });

  test('that requests a deploy key returns it after the approval, once, to the requesting agent', async () => {
    const studio = await open();
    const asking = { uid: studio.game.slug, idempotency_key: 'key-1' };
    const keys = async () => {
      const { body } = await request(`${server.api}/games/${studio.game.uid}/deploy-keys`, { headers: studio.owner });
      return body.data.deploy_keys.length as number;
    };
    const { structuredContent } = await studio.agent.call('request_deploy_key', asking);
    assert.equal(structuredContent.code, 4214);
    assert.equal(structuredContent.access_token, undefined);
    const code = await mailedCode(studio);
    const confirmed = await studio.agent.call('confirm_approval', { uid: structuredContent.approval.uid, code });
    assert.deepEqual([confirmed.structuredContent.status, await keys()], ['approved', 1]);
    const other = await connect(server, (await makeKey(server, studio.owner)).key);
    assert.equal(codeOf(await other.call('request_deploy_key', asking)), 4002);
    const results = await Promise.all([1, 2, 3].map(() => studio.agent.call('request_deploy_key', asking)));
    assert.deepEqual(results.map(codeOf).sort(), [0, 4217, 4217]);
    const issued = results.find((result) => codeOf(result) === 0)?.structuredContent;
    const { status } = await request(`${server.api}/tool/info`, {
      headers: { 'x-access-token': issued.access_token, 'x-secret-key': issued.secret_key },
    });
    assert.deepEqual([status, await keys()], [200, 2]);
    for (const reader of [studio.agent, other]) {
      const details = await reader.call('get_approval', { uid: structuredContent.approval.uid });
      assert.equal(details.structuredContent.result.key_ref, issued.key_ref);
      assert.doesNotMatch(JSON.stringify(details), new RegExp(`${issued.access_token}|${issued.secret_key}`));
    }
  });

  test('to a version is one approval for all its platforms', async () => {
    const studio = await open();
    await shipAndScan(server, studio.game, { version: '1.0', os: 'windows', channel: 'beta' });
    const asking = { uid: studio.game.slug, version: '1.0', channel: 'stable' };
    const { structuredContent: waiting } = await studio.agent.call('promote_version', asking);
    assert.equal(waiting.code, 4214);
    assert.equal(waiting.approval.summary, 'Promote 1.0 for Linux x86_64, Windows x86_64 to stable');
    const mail = await mailTo(server, studio.game.owner.email, /^Approve/);
    assert.equal((await approvalMailsTo(studio.game)).length, 1);
    const text = mail.text.replace(/\s+/g, ' ');
    for (const platform of ['Linux', 'Windows'])
      assert.ok(text.includes(`stable on ${platform} x86_64 offers nothing yet and will offer 1.0.`), text);
    assert.equal(text.split('It is available to all players immediately.').length, 2);
    const code = await mailedCode(studio);
    const confirmed = await studio.agent.call('confirm_approval', { uid: waiting.approval.uid, code });
    assert.equal(codeOf(confirmed), 0);
    assert.deepEqual(await stableOf(studio), ['1.0', '1.0']);
  });

  test('to a version is outdated once the version has another build', async () => {
    const studio = await open();
    const asking = { uid: studio.game.slug, version: '1.0', channel: 'stable' };
    const { structuredContent: waiting } = await studio.agent.call('promote_version', asking);
    await shipAndScan(server, studio.game, { version: '1.0', os: 'windows', channel: 'beta' });
    const code = await mailedCode(studio);
    assert.equal(codeOf(await studio.agent.call('confirm_approval', { uid: waiting.approval.uid, code })), 4217);
    assert.deepEqual(await stableOf(studio), []);
  });

  test('to undo a rollback of stable is one approval for all its platforms', async () => {
    const studio = await open();
    const { game, agent } = studio;
    const asOwner = await signIn(server, game.owner);
    const path = `/games/${game.uid}/channels/stable`;
    for (const [version, os] of [
      ['1.0', 'windows'],
      ['2.0', 'linux'],
      ['2.0', 'windows'],
    ] as const)
      await shipAndScan(server, game, { version, os, channel: 'beta' });
    for (const version of ['1.0', '2.0'])
      assert.equal((await callApi(server, asOwner, 'POST', `${path}/promote-version`, { version })).status, 200);
    const { structuredContent: change } = await agent.call('rollback_channel', { uid: game.slug, channel: 'stable' });
    assert.deepEqual(await stableOf(studio), ['1.0', '1.0']);

    const asking = { uid: game.slug, channel: 'stable', change_uid: change.change_uid };
    const { structuredContent: waiting } = await agent.call('undo_channel_change', asking);
    assert.equal(waiting.code, 4214);
    assert.equal(waiting.approval.summary, 'Undo the last change of stable on Linux x86_64, Windows x86_64');
    assert.deepEqual(await stableOf(studio), ['1.0', '1.0']);
    const text = (await mailTo(server, game.owner.email, /^Approve/)).text.replace(/\s+/g, ' ');
    for (const platform of ['Linux', 'Windows'])
      assert.ok(text.includes(`stable on ${platform} x86_64 changes from 1.0 back to 2.0.`), text);
    const code = await mailedCode(studio);
    assert.equal(codeOf(await agent.call('confirm_approval', { uid: waiting.approval.uid, code })), 0);
    assert.deepEqual(await stableOf(studio), ['2.0', '2.0']);
    assert.equal(codeOf(await agent.call('undo_channel_change', { ...asking, idempotency_key: 'again' })), 4076);
  });

  test('to undo a change of stable is outdated once the channel has moved again', async () => {
    const studio = await open();
    const { game, agent } = studio;
    const asOwner = await signIn(server, game.owner);
    const promote = (version: string) =>
      callApi(server, asOwner, 'POST', `/games/${game.uid}/channels/stable/promote-version`, { version });
    await shipAndScan(server, game, { version: '2.0', channel: 'beta' });
    await promote('1.0');
    const { change_uid } = (await promote('2.0')).body.data;
    const asking = { uid: game.slug, channel: 'stable', change_uid };
    const { structuredContent: waiting } = await agent.call('undo_channel_change', asking);
    await promote('1.0');
    const code = await mailedCode(studio);
    assert.equal(codeOf(await agent.call('confirm_approval', { uid: waiting.approval.uid, code })), 4076);
    assert.deepEqual(await stableOf(studio), ['1.0']);
    const beta = await callApi(server, asOwner, 'POST', `/games/${game.uid}/channels/dev/promote-version`, {
      version: '1.0',
    });
    const undone = await agent.call('undo_channel_change', {
      ...asking,
      channel: 'dev',
      change_uid: beta.body.data.change_uid,
    });
    assert.deepEqual([codeOf(undone), undone.structuredContent.code], [0, undefined]);
  });

  test('to start, extend, resume and finish a rollout on stable waits, and to pause and abort it does not', async () => {
    const studio = await open();
    const { game, agent } = studio;
    const uid = game.slug;
    const asOwner = await signIn(server, game.owner);
    await callApi(server, asOwner, 'POST', `/games/${game.uid}/channels/stable/promote-version`, { version: '1.0' });
    await shipAndScan(server, game, { version: '2.0', channel: 'beta' });
    const codeOfApproval = async (approvalUid: string) => {
      const isAbout = ({ text }: { text: string }) => text.replaceAll('=\n', '').includes(approvalUid);
      const { text } = await until(async () => (await approvalMailsTo(game)).find(isAbout));
      return /\b(\d{6})\b/.exec(text)?.[1] ?? '';
    };
    const approve = async (tool: string, args: object) => {
      const { structuredContent: waiting } = await agent.call(tool, { uid, ...args });
      assert.equal(waiting.code, 4214, tool);
      const code = await codeOfApproval(waiting.approval.uid);
      const confirmed = await agent.call('confirm_approval', { uid: waiting.approval.uid, code });
      assert.equal(codeOf(confirmed), 0, tool);
      return { summary: waiting.approval.summary, result: confirmed.structuredContent.result };
    };
    const started = await approve('start_rollout', { channel: 'stable', version: ' 2.0' });
    assert.match(started.summary, /^Roll 2\.0 out on stable for Linux x86_64$/);
    const rollout = { uid, rollout_id: started.result.rollout_id };
    assert.deepEqual([started.result.state, started.result.share], ['running', 5]);
    assert.equal((await approve('set_rollout_share', { ...rollout, share: 40 })).result.share, 40);
    assert.equal((await agent.call('pause_rollout', rollout)).structuredContent.state, 'paused');
    assert.equal((await approve('resume_rollout', rollout)).result.state, 'running');
    const { structuredContent: waiting } = await agent.call('finish_rollout', rollout);
    assert.equal(waiting.code, 4214);
    assert.deepEqual(await stableOf(studio), ['1.0']);
    assert.equal((await agent.call('abort_rollout', rollout)).structuredContent.state, 'aborted');
    const late = await agent.call('confirm_approval', {
      uid: waiting.approval.uid,
      code: await codeOfApproval(waiting.approval.uid),
    });
    assert.equal(codeOf(late), 4077, 'the rollout has ended');
    assert.equal(codeOf(await agent.call('get_rollout', rollout)), 0);
    const other = await open();
    assert.equal(codeOf(await other.agent.call('finish_rollout', { ...rollout, uid: other.game.slug })), 4040);
    assert.equal(codeOf(await agent.call('finish_rollout', { uid, rollout_id: 'x' })), 4002);
    assert.equal(codeOf(await agent.call('set_rollout_share', { ...rollout, share: 'all' })), 4228);
    const again = await approve('start_rollout', { channel: 'stable', version: '2.0', idempotency_key: 'second' });
    await approve('finish_rollout', { rollout_id: again.result.rollout_id });
    assert.deepEqual(await stableOf(studio), ['2.0']);
  });

  test('to delete a version is one approval for all its builds', async () => {
    const studio = await open();
    await shipAndScan(server, studio.game, { version: '1.0', os: 'windows', channel: 'beta' });
    const asking = { uid: studio.game.slug, version: '1.0' };
    const { structuredContent: waiting } = await studio.agent.call('delete_version', asking);
    assert.equal(waiting.approval.summary, 'Delete version 1.0 for Linux x86_64, Windows x86_64');
    const code = await mailedCode(studio);
    const confirmed = await studio.agent.call('confirm_approval', { uid: waiting.approval.uid, code });
    assert.equal(codeOf(confirmed), 0);
    assert.equal(codeOf(await studio.agent.call('get_version', asking)), 4006);
  });

  test('needs approval on stable only: other channels move immediately', async () => {
    const studio = await open();
    const result = await studio.agent.call('promote_build', { ...studio.promotion, channel: 'beta' });
    assert.equal(result.structuredContent.code, undefined);
    assert.equal(result.structuredContent.channel, 'beta');
  });
});
