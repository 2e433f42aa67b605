// Which alerts become messages, and when: rules, repetitions, digests, quiet hours and floods.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { type Alert, collectAlerts, raiseAlerts } from '../src/notify/alerts/alerts.ts';
import { setUserDisabled, setUserOperator } from '../src/people/accounts/accounts.ts';
import { callAs, makeSharedGame, type SharedGame } from './setup/crash-reports.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

const START = new Date('2026-12-01T12:00:00Z').getTime();
const at = (ms: number) => ({ ...server.ctx, clock: { now: () => new Date(START + ms) } });

function newGroup(subject = newId(), ms = 0): Alert {
  return {
    kind: 'new_group',
    subject,
    happenedAt: new Date(START + ms),
    data: { group_id: newId(), title: `crash ${subject}` },
  };
}

function newBug(ms = 0): Alert {
  const bugId = newId();
  const data = { bug_id: bugId, message: 'The door is stuck', filed_by: 'Nora' };
  return { kind: 'new_bug', subject: bugId, happenedAt: new Date(START + ms), data };
}

type MessageRow = { message_id: string; reason: string; lines: number; more: Record<string, number>; to: string[] };

/** The game's messages in the order of their creation, with the names of those who get them. */
function messagesOf(game: SharedGame): Promise<MessageRow[]> {
  return rows(
    server.ctx.db,
    sql<MessageRow>`select message_id, reason, jsonb_array_length(content -> 'lines') as lines, content -> 'more' as more,
        (select array_agg(coalesce(destinations.name, 'mail') order by destinations.name nulls first) from alert_deliveries deliveries
          left join alert_destinations destinations using (game_id, destination_id)
          where deliveries.game_id = messages.game_id and deliveries.message_id = messages.message_id) as "to"
      from alert_messages messages where game_id = ${game.uid} order by created_at, message_id`,
  );
}

async function waitingOf(game: SharedGame): Promise<number> {
  return (await rows(server.ctx.db, sql`select from alerts where game_id = ${game.uid}`)).length;
}

async function change(game: SharedGame, body: object) {
  const response = await callAs(server, game.owner, `/games/${game.uid}/alerts`, { method: 'PATCH', body });
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data;
}

async function add(game: SharedGame, fields: object) {
  const body = { kind: 'webhook', url: 'https://chat.example/hook', send_test: false, ...fields };
  const response = await callAs(server, game.owner, `/games/${game.uid}/alert-destinations`, { method: 'POST', body });
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data.destination;
}

describe('alerts', () => {
  test('that are sent at once become one message to the owner and each destination', async () => {
    const game = await makeSharedGame(server);
    await add(game, { name: 'chat' });
    await raiseAlerts(server.ctx.db, game.uid, [newGroup(), newGroup()]);
    await collectAlerts(at(0));
    const messages = await messagesOf(game);
    assert.deepEqual(
      messages.map(({ reason, lines, to }) => [reason, lines, to]),
      [['alerts', 2, ['mail', 'chat']]],
    );
    assert.equal(await waitingOf(game), 0);
  });

  test('a thousand in a minute become one message, and what comes later waits for the next minute', async () => {
    const game = await makeSharedGame(server);
    const all = Array.from({ length: 1000 }, () => newGroup());
    await raiseAlerts(server.ctx.db, game.uid, all);
    await Promise.all([collectAlerts(at(0)), collectAlerts(at(0)), collectAlerts(at(0))]);
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(5000));
    const [only, ...others] = await messagesOf(game);
    assert.deepEqual([only?.lines, only?.more, others], [20, { new_group: 980 }, []]);
    await collectAlerts(at(MINUTE));
    assert.deepEqual(
      (await messagesOf(game)).map(({ lines }) => lines),
      [20, 1],
    );
  });

  test('wait for no flood of others that wait for the digest', async () => {
    const game = await makeSharedGame(server);
    await rows(
      server.ctx.db,
      sql`insert into alerts (game_id, kind, subject, happened_at, data)
        select ${game.uid}, 'new_bug', no::text, ${new Date(START - HOUR)},
          jsonb_build_object('bug_id', ${newId()}::text, 'message', 'spam', 'filed_by', 'Nora')
        from generate_series(1, 10050) as no`,
    );
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    assert.deepEqual(
      (await messagesOf(game)).map(({ reason, lines }) => [reason, lines]),
      [['alerts', 1]],
    );
    await rows(server.ctx.db, sql`delete from alerts where game_id = ${game.uid}`);
  });

  test('of a kind of a newer version wait for it, and hold up no others', async () => {
    const game = await makeSharedGame(server);
    await rows(
      server.ctx.db,
      sql`insert into alerts (game_id, kind, subject, happened_at, data)
        values (${game.uid}, 'of_a_newer_version', 'x', ${new Date(START - HOUR)}, '{}')`,
    );
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    assert.deepEqual([(await messagesOf(game)).map(({ lines }) => lines), await waitingOf(game)], [[1], 1]);
    await rows(server.ctx.db, sql`delete from alerts where game_id = ${game.uid}`);
  });

  test('fill at most ten messages in an hour', async () => {
    const game = await makeSharedGame(server);
    for (let minute = 0; minute < 60; minute += 1) {
      await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
      await collectAlerts(at(minute * MINUTE));
    }
    assert.equal((await messagesOf(game)).length, 10);
    assert.equal(await waitingOf(game), 50);
    await collectAlerts(at(HOUR + 1000));
    const last = (await messagesOf(game)).at(-1);
    assert.deepEqual([last?.lines, last?.more], [20, { new_group: 30 }]);
  });

  test('about the same are sent once in the hours of the rule', async () => {
    const game = await makeSharedGame(server);
    await change(game, { rules: [{ kind: 'new_group', repeat_hours: 2 }] });
    const subject = newId();
    const raise = async (ms: number) => {
      await raiseAlerts(server.ctx.db, game.uid, [newGroup(subject, ms)]);
      await collectAlerts(at(ms));
      return (await messagesOf(game)).length;
    };
    assert.deepEqual(
      [await raise(0), await raise(HOUR), await raise(2 * HOUR - 1), await raise(2 * HOUR)],
      [1, 1, 1, 2],
    );
  });

  test('are sent again after the clock was ahead, when others were sent', async () => {
    const game = await makeSharedGame(server);
    const subject = newId();
    const sent: number[] = [];
    for (const ms of [365 * DAY, 0, MINUTE]) {
      await raiseAlerts(server.ctx.db, game.uid, [newGroup(ms === MINUTE ? newId() : subject, ms)]);
      await collectAlerts(at(ms));
      sent.push((await messagesOf(game)).length);
    }
    assert.deepEqual(sent, [1, 2, 3]);
  });

  test('that wait are not doubled', async () => {
    const game = await makeSharedGame(server);
    const alert = newGroup();
    await Promise.all([1, 2, 3].map(() => raiseAlerts(server.ctx.db, game.uid, [alert])));
    assert.equal(await waitingOf(game), 1);
  });

  test('can be turned off by kind, and muted for a time', async () => {
    const game = await makeSharedGame(server);
    await change(game, {
      rules: [
        { kind: 'new_group', muted_until: new Date(START + HOUR).toISOString() },
        { kind: 'new_bug', send: 'never' },
      ],
    });
    await raiseAlerts(server.ctx.db, game.uid, [newGroup(), newBug()]);
    await collectAlerts(at(HOUR - 1));
    assert.deepEqual([await messagesOf(game), await waitingOf(game)], [[], 0]);
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(HOUR));
    assert.equal((await messagesOf(game)).length, 1);
  });

  test('wait for the digest, which comes once a day at its time', async () => {
    const game = await makeSharedGame(server);
    // 18:30 in India, an hour after the start.
    await change(game, { time_zone: 'Asia/Kolkata', digest_at: '18:30' });
    await raiseAlerts(server.ctx.db, game.uid, [newBug(), newBug()]);
    await collectAlerts(at(HOUR - 1000));
    assert.deepEqual(await messagesOf(game), []);
    await collectAlerts(at(HOUR));
    await raiseAlerts(server.ctx.db, game.uid, [newBug(HOUR + 1000)]);
    await collectAlerts(at(2 * HOUR));
    await collectAlerts(at(DAY));
    assert.deepEqual(
      (await messagesOf(game)).map(({ reason, lines }) => [reason, lines]),
      [['digest', 2]],
    );
    await collectAlerts(at(DAY + HOUR));
    assert.equal((await messagesOf(game)).length, 2);
  });

  test('wait for the end of quiet hours', async () => {
    const game = await makeSharedGame(server);
    await change(game, { quiet_hours: { from: '11:00', until: '13:00' } });
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    await collectAlerts(at(HOUR - 1000));
    assert.deepEqual([await messagesOf(game), await waitingOf(game)], [[], 1]);
    await collectAlerts(at(HOUR));
    assert.equal((await messagesOf(game)).length, 1);
  });

  test('are delivered first to those who got their last message', async () => {
    const game = await makeSharedGame(server);
    const [good, bad] = [await add(game, { name: 'good' }), await add(game, { name: 'bad' })];
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    for (const [{ destination_uid: id }, state] of [
      [good, 'sent'],
      [bad, 'failed'],
    ] as const)
      await rows(server.ctx.db, sql`update alert_deliveries set state = ${state} where destination_id = ${id}`);
    await add(game, { name: 'new' });
    await rows(server.ctx.db, sql`delete from graphile_worker._private_jobs`);
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(MINUTE));
    const order = await rows(
      server.ctx.db,
      sql<{ name: string }>`select coalesce(alert_destinations.name, 'mail') as name
        from graphile_worker._private_jobs jobs
          join alert_deliveries on delivery_id::text = payload->>'deliveryId'
          left join alert_destinations using (game_id, destination_id)
        where alert_deliveries.game_id = ${game.uid} order by priority, name`,
    );
    assert.deepEqual(
      order.map(({ name }) => name),
      ['good', 'mail', 'bad', 'new'],
    );
  });

  test('go to the destinations that want their kind and are turned on', async () => {
    const game = await makeSharedGame(server);
    await add(game, { name: 'groups', kinds: ['new_group'] });
    const off = await add(game, { name: 'off' });
    await add(game, { name: 'bugs', kinds: ['new_bug'] });
    const path = `/games/${game.uid}/alert-destinations/${off.destination_uid}`;
    await callAs(server, game.owner, path, { method: 'PATCH', body: { enabled: false } });
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    assert.deepEqual((await messagesOf(game))[0]?.to, ['mail', 'groups']);
  });

  test('go to admins who turned mails on, and not to an owner who turned them off', async () => {
    const game = await makeSharedGame(server);
    const choose = (person: SharedGame['owner'], subscribed: boolean) =>
      callAs(server, person, `/games/${game.uid}/alerts/mail`, { method: 'PUT', body: { subscribed } });
    const { body } = await callAs(server, game.admin, `/games/${game.uid}/alerts`);
    assert.deepEqual(body.data.mail, { subscribed: false, subscribers: ['Player'] });
    await choose(game.owner, false);
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    assert.deepEqual([await messagesOf(game), await waitingOf(game)], [[], 0]);
    assert.equal((await choose(game.admin, true)).body.data.mail.subscribed, true);
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(MINUTE));
    assert.deepEqual((await messagesOf(game))[0]?.to, ['mail']);
  });

  test('about limits reach the operators if the accounts of all owners are disabled', async () => {
    const game = await makeSharedGame(server);
    const operator = await makePlayer(server);
    await setUserOperator(server.ctx, operator.email, true);
    const limits = (): Alert[] => [
      { ...newGroup(), kind: 'quota_low', data: { quota: 'crash_reports', used: 90, limit: 100 } },
      newGroup(),
    ];
    const mailed = () =>
      rows(
        server.ctx.db,
        sql<{ subject: string; text: string }>`select payload->>'subject' as subject, payload->>'text' as text
          from graphile_worker._private_jobs where payload->>'to' = ${operator.email} order by id`,
      );
    await raiseAlerts(server.ctx.db, game.uid, limits());
    await collectAlerts(at(0));
    assert.deepEqual([(await messagesOf(game)).at(-1)?.to, await mailed()], [['mail'], []]);
    await setUserDisabled(server.ctx, game.owner.email, true);
    await raiseAlerts(server.ctx.db, game.uid, limits());
    await collectAlerts(at(MINUTE));
    assert.equal((await messagesOf(game)).length, 1);
    const [mail, ...others] = await mailed();
    assert.match(mail?.subject ?? '', /: Limit nearly reached: 90% of today's crash reports used/);
    assert.match(mail?.text ?? '', /the accounts of all owners of “Game .*” are disabled/);
    assert.deepEqual(others, []);
  });

  test('of a game that is deleted have no effect', async () => {
    const game = await makeSharedGame(server);
    await raiseAlerts(server.ctx.db, newId(), [newGroup()]);
    await rows(
      server.ctx.db,
      sql`update all_games set deleted_at = now(), owner_id = null, slug = null, visibility = 'draft'
      where game_id = ${game.uid}`,
    );
    await raiseAlerts(server.ctx.db, game.uid, [newGroup()]);
    await collectAlerts(at(0));
    assert.deepEqual([await messagesOf(game), await waitingOf(game)], [[], 0]);
  });
});

describe('the settings of alerts', () => {
  test('have a rule for each kind, and keep what is not changed', async () => {
    const game = await makeSharedGame(server);
    const { body } = await callAs(server, game.admin, `/games/${game.uid}/alerts`);
    const defaults = body.data;
    assert.deepEqual(
      defaults.rules.map(({ kind, send }: { kind: string; send: string }) => `${kind}: ${send}`),
      [
        ...[
          'new_group: now',
          'regression: now',
          'snooze_ended: now',
          'spike: now',
          'first_crash: digest',
          'new_error_group: digest',
          'health_dropped: now',
          'rollout: now',
        ],
        ...['new_bug: digest', 'upload_rejected: now', 'quota_low: now', 'weekly_summary: digest'],
      ],
    );
    await change(game, { digest_at: '07:30', quiet_hours: { from: '22:00', until: '08:00' } });
    const changed = await change(game, { rules: [{ kind: 'spike', repeat_hours: 6 }] });
    assert.deepEqual(changed, {
      ...defaults,
      digest_at: '07:30',
      quiet_hours: { from: '22:00', until: '08:00' },
      rules: defaults.rules.map((rule: { kind: string }) =>
        rule.kind === 'spike' ? { ...rule, repeat_hours: 6 } : rule,
      ),
      mail: { ...defaults.mail, subscribed: true },
    });
    assert.equal((await change(game, { quiet_hours: null })).quiet_hours, null);
  });

  test('refuse unknown time zones, times, kinds and hours', async () => {
    const game = await makeSharedGame(server);
    for (const body of [
      { time_zone: 'Mars/Olympus' },
      { digest_at: '24:00' },
      { quiet_hours: { from: '22:00' } },
      { rules: [{ kind: 'everything' }] },
      { rules: [{ kind: 'spike', repeat_hours: 0 }] },
      { rules: [{ kind: 'spike', repeat_hours: 721 }] },
      { rules: [{ kind: 'spike', muted_until: 'tomorrow' }] },
      { rules: 'none' },
    ]) {
      const response = await callAs(server, game.owner, `/games/${game.uid}/alerts`, { method: 'PATCH', body });
      assert.deepEqual([response.status, response.body.error?.code], [400, 4002], JSON.stringify(body));
    }
  });

  test('are for members only', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const destination = await add(game, { name: 'chat' });
    const id = destination.destination_uid;
    for (const [method, path, body] of [
      ['GET', `/games/${game.uid}/alerts`],
      ['PATCH', `/games/${game.uid}/alerts`, {}],
      ['PUT', `/games/${game.uid}/alerts/mail`, { subscribed: true }],
      ['GET', `/games/${game.uid}/alert-destinations`],
      ['POST', `/games/${game.uid}/alert-destinations`, { kind: 'webhook', name: 'x', url: 'https://chat.example' }],
      ['PATCH', `/games/${other.uid}/alert-destinations/${id}`, { enabled: false }],
      ['DELETE', `/games/${other.uid}/alert-destinations/${id}`],
      ['POST', `/games/${other.uid}/alert-destinations/${id}/test`],
      ['POST', `/games/${other.uid}/alert-destinations/${id}/secret`],
      ['GET', `/games/${game.uid}/alert-deliveries`],
    ] as const) {
      const response = await callAs(server, other.owner, path, { method, ...(body !== undefined && { body }) });
      assert.deepEqual([response.status, response.body.error?.code], [404, 4040], `${method} ${path}`);
    }
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/alert-destinations`);
    assert.deepEqual(body.data.destinations, [destination]);
  });
});

describe('destinations', () => {
  test('do not show their address again, but its host', async () => {
    const game = await makeSharedGame(server);
    await add(game, { name: 'chat', url: 'https://hooks.chat.example/services/T0/secret' });
    const { body } = await callAs(server, game.owner, `/games/${game.uid}/alert-destinations`);
    assert.doesNotMatch(JSON.stringify(body), /secret/);
    assert.equal(body.data.destinations[0].host, 'hooks.chat.example');
  });

  test('refuse addresses that are not https, or have a password', async () => {
    const game = await makeSharedGame(server);
    for (const url of [
      'http://chat.example/',
      'ftp://chat.example/',
      'chat.example',
      'https://',
      'https://a:b@chat.example/',
    ]) {
      const body = { kind: 'webhook', name: 'chat', url };
      const response = await callAs(server, game.owner, `/games/${game.uid}/alert-destinations`, {
        method: 'POST',
        body,
      });
      assert.deepEqual([response.status, response.body.error?.code], [400, 4002], url);
    }
  });

  test('of a chat are at its own host, when they are added and when they change', async () => {
    const game = await makeSharedGame(server);
    const path = `/games/${game.uid}/alert-destinations`;
    const discord = { kind: 'discord', name: 'chat', url: 'https://discord.com/api/webhooks/1234/abcd' };
    const { destination_uid: id } = await add(game, discord);
    for (const [kind, remedy] of [
      ['slack', /^url: .*https:\/\/hooks\.slack\.com\/services\//],
      ['discord', /^url: .*https:\/\/discord\.com\/api\/webhooks\//],
      ['teams', /^url: .*workflow/],
    ] as const) {
      const body = { kind, name: 'chat', url: 'https://discord.com.evil.example/api/webhooks/1234/abcd' };
      const refused = await callAs(server, game.owner, path, { method: 'POST', body });
      assert.deepEqual([refused.status, refused.body.error?.code], [400, 4002], kind);
      assert.match(refused.body.error?.message ?? '', remedy);
    }
    const moved = await callAs(server, game.owner, `${path}/${id}`, {
      method: 'PATCH',
      body: { url: 'https://evil.example/' },
    });
    assert.deepEqual([moved.status, moved.body.error?.code], [400, 4002]);
    const { body } = await callAs(server, game.owner, path);
    assert.deepEqual(
      body.data.destinations.map(({ kind, host }: { kind: string; host: string }) => [kind, host]),
      [['discord', 'discord.com']],
    );
  });

  test('are at most 20, however many are added at once', async () => {
    const game = await makeSharedGame(server);
    const body = { kind: 'webhook', name: 'chat', url: 'https://chat.example/', send_test: false };
    const responses = await Promise.all(
      Array.from({ length: 25 }, () =>
        callAs(server, game.owner, `/games/${game.uid}/alert-destinations`, { method: 'POST', body }),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.at(-1)], [20, 400]);
  });
});
