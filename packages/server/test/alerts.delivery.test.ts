// Messages on their way: to a real mail server and a web server, with retries, a log, and a signature.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { transact } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { raiseAlerts } from '../src/notify/alerts/alerts.ts';
import { enqueueEmail } from '../src/people/emails/emails.ts';
import { callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { openPostOffice, type PostOffice } from './setup/post-office.ts';
import { openReceiver, type Receiver } from './setup/receiver.ts';
import { request, startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

let [server, receiver, mails] = [] as unknown as [TestServer, Receiver, PostOffice];
before(async () => {
  receiver = await openReceiver();
  mails = await openPostOffice();
  const env = { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1', CHAUFFEUR_SMTP: mails.url };
  server = await startServer({ env });
});
after(() => Promise.all([server.stop(), receiver.close(), mails.close()]));

async function add(game: SharedGame, fields: object) {
  const body = { kind: 'webhook', name: 'hook', send_test: false, ...fields };
  const response = await callAs(server, game.owner, `/games/${game.uid}/alert-destinations`, { method: 'POST', body });
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data;
}

function raise(game: SharedGame, title = `crash ${newId()}`): Promise<void> {
  const groupId = newId();
  const data = { group_id: groupId, title };
  return raiseAlerts(server.ctx.db, game.uid, [{ kind: 'new_group', subject: groupId, happenedAt: new Date(), data }]);
}

async function deliveriesOf(game: SharedGame, query = '') {
  const { status, body } = await callAs(server, game.owner, `/games/${game.uid}/alert-deliveries${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.deliveries;
}

type Delivery = { destination_uid: string | null; state: string };

/** Waits until the delivery to a destination has this state, and returns it. */
function delivered(game: SharedGame, state = 'sent') {
  return until(async () =>
    (await deliveriesOf(game)).find((each: Delivery) => each.destination_uid !== null && each.state === state),
  );
}

describe('a message', () => {
  test('reaches a webhook, signed with the secret that was shown once', async () => {
    const game = await makeSharedGame(server);
    const { secret, destination } = await add(game, { url: `${receiver.url}/signed` });
    await raise(game, 'Door::open');
    const body = await receiver.take('/signed');
    assert.deepEqual([body.type, body.game.uid, body.alerts[0].text], ['alerts', game.uid, 'Door::open']);
    const { headers, body: text } = receiver.received.find(({ path }) => path === '/signed')!;
    assert.equal(headers['webhook-id'], body.delivery_uid);
    assert.doesNotThrow(() => new Webhook(secret).verify(text, headers as Record<string, string>));
    const sent = await delivered(game);
    assert.deepEqual([sent.delivery_uid, sent.status, sent.attempts, sent.to], [body.delivery_uid, 200, 1, 'hook']);
    const path = `/games/${game.uid}/alert-destinations/${destination.destination_uid}/secret`;
    const rotated = (await callAs(server, game.owner, path, { method: 'POST' })).body.data.secret;
    assert.match(rotated, /^whsec_/);
    assert.notEqual(rotated, secret);
  });

  test('reaches the owner by mail, who can unsubscribe with one click', async () => {
    const game = await makeSharedGame(server);
    await raise(game, 'Über <b>');
    const mail = await mails.take(/New crash group: Über <b>$/);
    assert.equal(mail.to, game.owner.email);
    assert.match(mail.text, /New crash group: Über <b>\r\nhttp/);
    assert.match(mail.html, /Über &lt;b&gt;/);
    const [, address = ''] = /^<(.*)>$/.exec(mail.field('List-Unsubscribe')) ?? [];
    const [sent] = await until(async () => {
      const deliveries = await deliveriesOf(game, '?state=sent');
      return deliveries.length > 0 && deliveries;
    });
    assert.ok(mail.field('Message-ID').startsWith(`<${sent.delivery_uid}@`));
    const wrong = await request(`${address}x`, { method: 'POST' });
    assert.deepEqual([wrong.status, wrong.body.error?.code], [404, 4040]);
    assert.equal((await fetch(address)).status, 404);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (let click = 0; click < 2; click += 1) {
      const clicked = await request(address, { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' });
      assert.equal(clicked.status, 200, JSON.stringify(clicked.body));
    }
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/alerts`);
    assert.deepEqual(body.data.mail, { subscribed: false, subscribers: [] });
  });

  test('is tried again after a failure, with the same id', async () => {
    const game = await makeSharedGame(server);
    await add(game, { url: `${receiver.url}/again` });
    receiver.respond(503);
    await raise(game);
    const first = await receiver.take('/again');
    const second = await receiver.take('/again');
    assert.equal(second.delivery_uid, first.delivery_uid);
    const sent = await delivered(game);
    assert.deepEqual([sent.attempts, sent.status, sent.problem], [2, 200, null]);
  });

  test('that is refused is not tried again, but can be delivered again by hand', async () => {
    const game = await makeSharedGame(server);
    await add(game, { url: `${receiver.url}/refused` });
    receiver.respond(404);
    await raise(game);
    const { delivery_uid: id } = await receiver.take('/refused');
    const failed = await delivered(game, 'failed');
    assert.deepEqual([failed.status, failed.problem], [404, "The destination doesn't know this address (status 404)."]);
    assert.deepEqual(
      (await deliveriesOf(game, '?state=failed')).map(({ delivery_uid }: { delivery_uid: string }) => delivery_uid),
      [id],
    );
    const path = `/games/${game.uid}/alert-deliveries/${id}/redeliver`;
    const again = await callAs(server, game.admin, path, { method: 'POST' });
    assert.equal(again.status, 202);
    // The job may be faster than the response.
    assert.match(again.body.data.state, /^(waiting|sent)$/);
    assert.equal((await receiver.take('/refused')).delivery_uid, id);
    assert.equal((await delivered(game)).attempts, 2);
    const unknown = await callAs(server, game.owner, path.replace(id, newId()), { method: 'POST' });
    assert.deepEqual([unknown.status, unknown.body.error?.code], [404, 4040]);
  });

  for (const [kind, isOf] of [
    ['slack', (body: { blocks: unknown[] }) => body.blocks.length > 0],
    ['discord', (body: { embeds: unknown[] }) => body.embeds.length === 1],
    [
      'teams',
      (body: { attachments: { content: { type: string } }[] }) => body.attachments[0]?.content.type === 'AdaptiveCard',
    ],
  ] as const)
    test(`can be tested for ${kind}, at once and with the result`, async () => {
      const game = await makeSharedGame(server);
      const { destination, secret } = await add(game, { kind, url: `${receiver.url}/${kind}` });
      assert.equal(secret, null);
      const path = `/games/${game.uid}/alert-destinations/${destination.destination_uid}/test`;
      const { status, body } = await callAs(server, game.owner, path, { method: 'POST' });
      assert.deepEqual([status, body.data.state, body.data.reason, body.data.status], [200, 'sent', 'test', 200]);
      assert.ok(isOf(await receiver.take(`/${kind}`)));
      receiver.respond(500);
      const failed = await callAs(server, game.owner, path, { method: 'POST' });
      assert.deepEqual([failed.body.data.state, failed.body.data.status], ['failed', 500]);
    });

  test('is sent when a destination is added, and its result is stored until the address changes', async () => {
    const game = await makeSharedGame(server);
    const good = await add(game, { kind: 'discord', url: `${receiver.url}/good`, send_test: true });
    assert.equal((await receiver.take('/good')).embeds[0].title.endsWith('test alert'), true);
    assert.equal(good.destination.last_test.problem, null);
    assert.equal(good.destination.last.state, 'sent');
    receiver.respond(404);
    const { destination, secret } = await add(game, { url: `${receiver.url}/typo`, send_test: undefined });
    await receiver.take('/typo');
    assert.match(secret, /^whsec_/);
    const problem = "The destination doesn't know this address (status 404).";
    assert.equal(destination.last_test.problem, problem);
    const path = `/games/${game.uid}/alert-destinations`;
    const listed = async () => (await callAs(server, game.admin, path)).body.data.destinations;
    assert.deepEqual(
      (await listed()).map(({ last_test: last }: { last_test: { problem: string | null } }) => last.problem),
      [null, problem],
    );
    const change = (body: object) =>
      callAs(server, game.owner, `${path}/${destination.destination_uid}`, { method: 'PATCH', body });
    assert.equal((await change({ name: 'renamed' })).body.data.last_test.problem, problem);
    assert.equal((await change({ url: `${receiver.url}/fixed` })).body.data.last_test, null);
    await callAs(server, game.owner, `${path}/${destination.destination_uid}/test`, { method: 'POST' });
    await receiver.take('/fixed');
    assert.equal((await listed())[1].last_test.problem, null);
    const untested = await add(game, { url: `${receiver.url}/untested` });
    assert.equal(untested.destination.last_test, null);
  });

  test('is sent at most 30 times in an hour, however a test is asked for', async () => {
    const game = await makeSharedGame(server);
    const { destination } = await add(game, { url: `${receiver.url}/tested` });
    const path = `/games/${game.uid}/alert-destinations`;
    for (let no = 0; no < 30; no += 1)
      await callAs(server, game.owner, `${path}/${destination.destination_uid}/test`, { method: 'POST' });
    const body = { kind: 'webhook', name: 'one more', url: `${receiver.url}/tested` };
    const refused = await callAs(server, game.owner, path, { method: 'POST', body });
    assert.deepEqual([refused.status, refused.body.error?.code], [429, 4290]);
    const { body: list } = await callAs(server, game.owner, path);
    assert.equal(list.data.destinations.length, 1);
    await add(game, { name: 'without a test', url: `${receiver.url}/tested` });
  });

  test('does not follow redirects, nor wait for endless responses', async () => {
    const game = await makeSharedGame(server);
    const { destination } = await add(game, { url: `${receiver.url}/moved` });
    receiver.respond(302);
    const path = `/games/${game.uid}/alert-destinations/${destination.destination_uid}/test`;
    const { body } = await callAs(server, game.owner, path, { method: 'POST' });
    assert.deepEqual([body.data.state, body.data.status], ['failed', 302]);
  });

  test('to a server that switches protocols, hangs up, or sends nonsense fails', async () => {
    const game = await makeSharedGame(server);
    const responses = [
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
      'HTTP/1.1 20',
      'SSH-2.0-OpenSSH\r\n',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
    ];
    for (const response of responses) {
      const hostile = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(response));
      }).listen(0, '127.0.0.1');
      await once(hostile, 'listening');
      const { port } = hostile.address() as AddressInfo;
      const { destination } = await add(game, { url: `http://127.0.0.1:${port}/` });
      const path = `/games/${game.uid}/alert-destinations/${destination.destination_uid}/test`;
      const { status, body } = await callAs(server, game.owner, path, { method: 'POST' });
      assert.deepEqual([status, body.data.state], [200, 'failed'], response.slice(0, 40));
      assert.ok(body.data.problem.length > 0);
      hostile.close();
    }
  });

  test('to a server without TLS fails with a reason in one line', async () => {
    const game = await makeSharedGame(server);
    const plain = createServer((socket) => socket.on('error', () => undefined).end('no TLS')).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const { destination } = await add(game, { url: `https://127.0.0.1:${port}/` });
    const path = `/games/${game.uid}/alert-destinations/${destination.destination_uid}/test`;
    const { body } = await callAs(server, game.owner, path, { method: 'POST' });
    assert.equal(body.data.problem, 'The TLS handshake failed: wrong version number.');
    plain.close();
  });

  test('to receivers that never respond delays nothing but alerts', async () => {
    const game = await makeSharedGame(server);
    const blocked = Promise.withResolvers<void>();
    receiver.block(blocked.promise);
    for (let no = 0; no < 12; no += 1) await add(game, { name: `hook ${no}`, url: `${receiver.url}/never/${no}` });
    await raise(game);
    for (let no = 0; no < 12; no += 1) await receiver.take(`/never/${no}`);
    const subject = `mail ${newId()}`;
    await transact(server.ctx.db, (tx) =>
      enqueueEmail(server.ctx, tx, 'approval', { to: game.owner.email, subject, text: subject }),
    );
    await mails.take(new RegExp(subject));
    const deliveries: { attempts: number; destination_uid: string | null }[] = await deliveriesOf(game);
    const toHooks = deliveries.filter(({ destination_uid: id }) => id !== null);
    assert.deepEqual([toHooks.length, toHooks.every(({ attempts }) => attempts === 0)], [12, true]);
    blocked.resolve();
    await until(async () => (await deliveriesOf(game, '?state=waiting')).length === 0);
  });

  test('that is being sent is not sent again by hand at the same moment', async () => {
    const game = await makeSharedGame(server);
    await add(game, { url: `${receiver.url}/slow` });
    const blocked = Promise.withResolvers<void>();
    receiver.block(blocked.promise);
    await raise(game);
    const { delivery_uid: id } = await receiver.take('/slow');
    const path = `/games/${game.uid}/alert-deliveries/${id}/redeliver`;
    for (let click = 0; click < 5; click += 1)
      assert.equal((await callAs(server, game.owner, path, { method: 'POST' })).status, 202);
    blocked.resolve();
    assert.equal((await delivered(game)).attempts, 1);
    assert.equal(receiver.received.filter(({ path: to }) => to === '/slow').length, 1);
  });

  test('can be delivered again a hundred times in an hour', async () => {
    const game = await makeSharedGame(server);
    await add(game, { url: `${receiver.url}/often` });
    await raise(game);
    const { delivery_uid: id } = await receiver.take('/often');
    const path = `/games/${game.uid}/alert-deliveries/${id}/redeliver`;
    for (let click = 0; click < 100; click += 1)
      assert.equal((await callAs(server, game.owner, path, { method: 'POST' })).status, 202);
    const refused = await callAs(server, game.owner, path, { method: 'POST' });
    assert.deepEqual([refused.status, refused.body.error?.code], [429, 4290]);
  });

  test('to a host that is not there fails with a reason, and is tried again', async () => {
    const game = await makeSharedGame(server);
    await add(game, { url: 'http://127.0.0.1:1/nobody' });
    await raise(game);
    const waiting = await until(async () =>
      (await deliveriesOf(game)).find(
        ({ attempts, destination_uid }: { attempts: number; destination_uid: string | null }) =>
          destination_uid !== null && attempts > 0,
      ),
    );
    assert.equal(waiting.state, 'waiting');
    assert.match(waiting.problem, /ECONNREFUSED/);
  });
});

test('private addresses are refused unless the operator allows them', async () => {
  const strict = await startServer({ env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '0' } });
  try {
    const game = await makeSharedGame(strict);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '2130706433']) {
      const added = await callAs(strict, game.owner, `/games/${game.uid}/alert-destinations`, {
        method: 'POST',
        body: { kind: 'webhook', name: 'inside', url: `https://${host}/` },
      });
      assert.match(added.body.data.destination.last_test.problem, /^The host has a private address/);
      const path = `/games/${game.uid}/alert-destinations/${added.body.data.destination.destination_uid}/test`;
      const { body } = await callAs(strict, game.owner, path, { method: 'POST' });
      assert.deepEqual([body.data.state, body.data.attempts], ['failed', 1], host);
      assert.match(body.data.problem, /^The host has a private address, which is refused\. /);
    }
  } finally {
    await strict.stop();
  }
});
