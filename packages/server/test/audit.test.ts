// The audit log on the real server: every change is recorded once, with who made it and what was before and after, and
// without secrets.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { auditOf, type Operation, UPLOAD_SCOPES } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { sql } from 'kysely';
import { DAY } from '../src/kernel/clock.ts';
import { changed, onlyRow, rows, transact } from '../src/kernel/database/db.ts';
import { isUuid, newId } from '../src/kernel/secrets/ids.ts';
import { expireAudit } from '../src/people/audit/audit.ts';
import { record } from '../src/request/audit.ts';
import { connect, makeKey } from './setup/agents.ts';
import { callApi, makeOwnedGame, statusOf } from './setup/api-calls.ts';
import { type Call, callOf, inWorkingOrder, makeSamples, requestOf, type Samples } from './setup/sample-calls.ts';
import { makeAdmin, makeGame, makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { sendChunk, ship, smallZip, startSession } from './setup/uploads.ts';

type Entry = {
  entry_id: string;
  operation: string;
  actor: { kind: string; id: string | null; name: string; via: string | null };
  game: { game_uid: string; name: string } | null;
  details: Record<string, unknown>;
  changes: Record<string, { before?: unknown; after?: unknown }>;
  outcome: number;
  address: string | null;
  client: string | null;
};

let server: TestServer;

before(async () => {
  server = await startServer({ env: { CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1', CHAUFFEUR_LIMIT_UNCONFIRMED_MAILS: '0' } });
});
after(() => server.stop());

async function listEntries(headers: object, uid: string, query = ''): Promise<Entry[]> {
  const response = await callApi(server, headers, 'GET', `/games/${uid}/audit?${query}`);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data.entries;
}

async function newestEntry(headers: object, uid: string): Promise<Entry> {
  const [entry] = await listEntries(headers, uid, 'limit=1');
  assert.ok(entry);
  return entry;
}

type Row = { entry_id: string; operation: string; actor_kind: string; outcome: number };

function allRows(): Promise<Row[]> {
  return rows(server.ctx.db, sql<Row>`select entry_id, operation, actor_kind, outcome from audit_entries`);
}

describe('the operations of the contract', () => {
  const isChange = ({ method }: Operation) => method !== 'GET';

  test('say whether they are audited if anyone can call them, and reads are not', () => {
    for (const operation of OPERATIONS) {
      const { id, access, audit } = operation;
      if (isChange(operation) && access === 'public') assert.notEqual(audit, undefined, id);
      if (!isChange(operation)) assert.equal(auditOf(operation), false, id);
    }
  });

  /** What games send, what changes nothing, and what players do. Everything else is audited. */
  const UNAUDITED = [
    ...['crashes.create', 'crashes.createUnreal', 'crashes.upload', 'events.create', 'events.createFromEngine'],
    ...[
      'uploads.openSession',
      'uploads.abortSession',
      'uploads.plan',
      'crashes.previewGroupingRules',
      'setup.test',
      'setup.testAddress',
    ],
    ...['cliLogins.start', 'cliLogins.poll', 'cliLogins.end'],
    ...[
      'bugs.file',
      'bugs.fileAsGuest',
      'bugs.uploadScreenshot',
      'channels.joinBeta',
      'channels.leaveBeta',
      'moderation.report',
    ],
    ...['accounts.blockMails', 'bugs.confirmReplies', 'bugs.endReplies'],
    ...['follows.follow', 'follows.unfollow', 'follows.request', 'follows.confirm', 'follows.end'],
    'overview.visit',
    'store.renderMarkdown',
  ];

  test('are all audited except the ones in this list', () => {
    const unaudited = OPERATIONS.filter((operation) => isChange(operation) && auditOf(operation) === false);
    assert.deepEqual(
      unaudited.map(({ id }) => id).filter((id) => !UNAUDITED.includes(id)),
      [],
    );
  });

  const KINDS = { deploy_key: 'deploy_key', account: 'user', operator: 'operator', public: 'anonymous' } as const;

  async function send(operation: Operation, samples: Samples, call: Call) {
    const { path, init } = requestOf(operation, samples, {
      ...call,
      headers: { 'user-agent': 'audit test', ...call.headers },
    });
    const response = await fetch(server.api + path, init);
    return { status: response.status, text: await response.text() };
  }

  test('write exactly one entry for each change, with the right actor, and none that contains a secret', async () => {
    const samples = await makeSamples(server);
    const secrets = new Set<string>();
    for (const operation of inWorkingOrder(OPERATIONS.filter(isChange))) {
      const call = await callOf(samples, operation);
      const known = new Set((await allRows()).map(({ entry_id }) => entry_id));
      const { status, text } = await send(operation, samples, call);
      assert.ok(status < 300, `${operation.id}: ${status} ${text.slice(0, 300)}`);
      const written = (await allRows()).filter(({ entry_id }) => !known.has(entry_id));
      const audit = auditOf(operation);
      assert.ok(
        audit === 'changes' || written.length === (audit ? 1 : 0),
        `${operation.id}: ${written.length} entries`,
      );
      for (const entry of written) {
        assert.equal(entry.operation, operation.id);
        assert.equal(entry.outcome, 0);
        if (!/^setup\.|revokeAfterReset/.test(operation.id))
          assert.equal(entry.actor_kind, KINDS[operation.access], operation.id);
      }
      if (operation.secret)
        for (const [, secret] of text.matchAll(/"([A-Za-z0-9_-]{20,})"/g)) if (!isUuid(secret!)) secrets.add(secret!);
      for (const [, token] of String(call.path?.token ?? '').matchAll(/(.{20,})/g)) secrets.add(token!);
    }
    const [{ count }, text] = [
      await onlyRow(server.ctx.db, sql<{ count: number }>`select count(*) as count from audit_entries`),
      JSON.stringify(await rows(server.ctx.db, sql`select * from audit_entries`)),
    ];
    assert.ok(count > 50 && secrets.size > 5, `${count} entries, ${secrets.size} secrets`);
    for (const secret of [...secrets, samples.studio.game.owner.password, 'correct horse battery'])
      assert.ok(!text.includes(secret), `an entry contains ${secret}`);
    const emails = [samples.studio.game.owner.email, '@example.com'];
    for (const email of emails) assert.ok(!text.includes(email), `an entry contains ${email}`);
  });
});

describe('an entry', () => {
  test('has who, what, before and after, and from where', async () => {
    const { game, owner } = await makeOwnedGame(server, { visibility: 'draft' });
    const headers = { ...owner, 'user-agent': 'Tester/1.0' };
    const body = { name: 'Owls', visibility: 'invisible', tagline: 'x'.repeat(120) };
    const { status } = await callApi(server, headers, 'PATCH', `/games/${game.uid}`, body);
    assert.equal(status, 200);
    const entry = await newestEntry(owner, game.uid);
    assert.equal(entry.operation, 'games.update');
    assert.deepEqual(entry.actor, { kind: 'user', id: game.owner.id, name: 'Owner', via: null });
    assert.deepEqual(entry.changes.visibility, { before: 'draft', after: 'invisible' });
    assert.equal(entry.changes.name?.after, 'Owls');
    assert.ok(!('description' in entry.changes));
    assert.match(entry.address ?? '', /127\.0\.0\.1/);
    assert.equal(entry.client, 'Tester/1.0');
    assert.equal(entry.game?.game_uid, game.uid);
  });

  test('names the agent that acted and the person it acted for', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const bug = await callApi(server, owner, 'POST', `/games/${game.uid}/bugs`, { title: 'a', message: 'A bug' });
    const { key } = await makeKey(server, owner, { name: 'Helper' });
    const agent = await connect(server, key);
    const bugUid = bug.body.data.bug_uid ?? bug.body.data.uid;
    const result = await agent.call('update_bug_ticket', { uid: game.uid, bug_uid: bugUid, status: 'fixed' });
    await agent.close();
    assert.notEqual(result.isError, true, JSON.stringify(result.content));
    const entry = await newestEntry(owner, game.uid);
    assert.deepEqual(
      [entry.operation, entry.actor.kind, entry.actor.name, entry.actor.via],
      ['bugs.update', 'agent', 'Owner', 'Helper'],
    );
    assert.equal(entry.details.status, 'fixed');
    assert.match(entry.address ?? '', /127\.0\.0\.1/);
  });

  test('names the upload token, and shows a promotion by its versions', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const token = { name: 'Release bot', scopes: [...UPLOAD_SCOPES], expires_in_days: 1 };
    const { data } = (await callApi(server, owner, 'POST', `/games/${game.uid}/upload-tokens`, token)).body;
    const created = await newestEntry(owner, game.uid);
    assert.deepEqual(created.changes.name, { before: null, after: 'Release bot' });
    const { buildId: build_id } = await ship(server, game, { version: '1.0' });
    const headers = { 'x-access-token': data.access_token, 'x-secret-key': data.secret_key };
    const promote = () => callApi(server, headers, 'POST', '/tool/channels/beta/promote', { build_id });
    let response = await promote();
    for (let tries = 0; response.status === 409 && tries < 500; tries += 1) response = await promote();
    assert.equal(response.status, 200, JSON.stringify(response.body));
    const entry = (await listEntries(owner, game.uid, 'what=channels.promoteWithKey'))[0]!;
    assert.deepEqual(entry.actor, { kind: 'upload_token', id: data.token_id, name: 'Release bot', via: data.key_ref });
    assert.deepEqual(Object.values(entry.changes), [{ before: null, after: '1.0' }]);
    const uploads = await listEntries(owner, game.uid, 'what=uploads');
    assert.deepEqual(
      uploads.map(({ changes }) => changes.build_id?.after),
      [build_id],
    );
  });

  test('is written once for an upload in many chunks', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const zip = smallZip();
    const sessionId = await startSession(server, game, zip);
    const half = zip.length >> 1;
    for (const [start, end] of [
      [0, half],
      [half, zip.length],
    ] as const) {
      const sent = await sendChunk(server, game, sessionId, zip, start, end);
      assert.ok(sent.status < 300, JSON.stringify(sent.body));
    }
    const [upload, ...others] = await listEntries(owner, game.uid, 'what=uploads');
    assert.equal(others.length, 0);
    assert.deepEqual(upload?.actor, {
      kind: 'deploy_key',
      id: null,
      name: 'Deploy key',
      via: game.keyHeaders['x-access-token'].slice(0, 8),
    });
  });

  test('is not written for a change that is refused or rolled back', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const { game: other } = await makeOwnedGame(server);
    const count = (await listEntries(owner, game.uid)).length;
    const taken = await callApi(server, owner, 'PATCH', `/games/${game.uid}`, { slug: other.slug });
    assert.deepEqual(statusOf(taken), [400, 4002]);
    assert.equal((await listEntries(owner, game.uid)).length, count);
  });

  test('keeps the change from being acknowledged if it cannot be written', async () => {
    const actor = { kind: 'user', id: null, name: 'x', via: null } as const;
    const marker = `mark-${newId()}`;
    const attempt = record(server.ctx, { operation: 'test.fails', actor, gameId: 'not a uuid' }, () =>
      transact(server.ctx.db, (tx) =>
        changed(
          tx,
          sql`insert into audit_entries (entry_id, operation, actor_kind, actor_name, details, changes, outcome)
          values (${newId()}, ${marker}, 'user', 'x', '{}', '{}', 0)`,
        ),
      ),
    );
    await assert.rejects(attempt);
    assert.ok(!(await allRows()).some(({ operation }) => operation === marker), 'the change was rolled back');
  });

  test('is one for each of many concurrent changes', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const names = Array.from({ length: 12 }, (_, index) => `Name ${index}`);
    await Promise.all(names.map((name) => callApi(server, owner, 'PATCH', `/games/${game.uid}`, { name })));
    const entries = (await listEntries(owner, game.uid, 'what=games.update')).toReversed();
    assert.deepEqual(entries.map(({ changes }) => changes.name?.after).toSorted(), names.toSorted());
    // Each change starts from the result of another one, so nothing was recorded from an outdated state.
    const former = new Set(entries.map(({ changes }) => changes.name?.before));
    assert.equal(former.size, names.length);
  });

  /** Settings that several people change at the same time: the path, a body for each number, and the field of the entry. */
  const settings: readonly (readonly [
    what: string,
    method: string,
    path: string,
    body: (no: number) => object,
    field: string,
  ])[] = [
    ['alerts.update', 'PATCH', '/alerts', (no) => ({ digest_at: `0${no}:30` }), 'digestAt'],
    ['alerts.update', 'PATCH', '/alerts', (no) => ({ rules: [{ kind: 'spike', repeat_hours: no + 1 }] }), 'spike'],
    ['issueTracker.set', 'PUT', '/issue-tracker', (no) => ({ kind: 'github', project: `team/game-${no}` }), 'project'],
    [
      'source.setSettings',
      'PUT',
      '/source',
      (no) => ({ url_template: `https://code.example/${no}/{path}`, path_prefixes: [] }),
      'url_template',
    ],
    [
      'crashes.setGroupingRules',
      'PUT',
      '/grouping-rules',
      (no) => ({ rules: [{ effect: 'end', frames: `main${no}` }] }),
      'rules',
    ],
  ];
  for (const [what, method, path, body, field] of settings)
    test(`of ${what} starts from the former change, for ${field} too`, async () => {
      const { game, owner } = await makeOwnedGame(server);
      const bodies = Array.from({ length: 10 }, (_, no) => body(no));
      const made = await Promise.all(
        bodies.map((each) => callApi(server, owner, method, `/games/${game.uid}${path}`, each)),
      );
      for (const { status, body: response } of made) assert.equal(status, 200, JSON.stringify(response));
      const entries = (await listEntries(owner, game.uid, `what=${what}`)).map(({ changes }) => changes[field]);
      // The first change may set what was the default before.
      const changed = entries.filter((change) => change !== undefined);
      assert.ok(changed.length >= bodies.length - 1, JSON.stringify(entries));
      assert.equal(new Set(changed.map((change) => JSON.stringify(change?.before))).size, changed.length);
    });

  test('of settings with two values alternates between them', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const set = (guests: boolean) => callApi(server, owner, 'PUT', `/games/${game.uid}/bug-settings`, { guests });
    await Promise.all(Array.from({ length: 12 }, (_, no) => set(no % 2 === 0)));
    const formers = (await listEntries(owner, game.uid, 'what=bugs.setSettings')).map(
      ({ changes }) => changes.guests?.before,
    );
    const [enabled, disabled] = [true, false].map((value) => formers.filter((before) => before === value).length);
    assert.ok([0, 1].includes(enabled! - disabled!), `${enabled} from true, ${disabled} from false`);
  });

  test('of a profile starts from the former handle', async () => {
    const player = await makePlayer(server);
    const handles = Array.from({ length: 8 }, (_, no) => `racer-${no}-${newId().slice(-6)}`);
    await Promise.all(handles.map((handle) => callApi(server, player.headers, 'PATCH', '/profile', { handle })));
    const entries = await rows(
      server.ctx.db,
      sql<{ before: string | null }>`select changes->'handle'->>'before' as before from audit_entries
        where operation = 'accounts.updateProfile' and actor_id = ${player.id}`,
    );
    assert.deepEqual(
      [entries.length, new Set(entries.map((entry) => entry.before)).size],
      [handles.length, handles.length],
    );
  });

  test('keeps what others change at the same time', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const change = (body: object) => callApi(server, owner, 'PATCH', `/games/${game.uid}/alerts`, body);
    for (let round = 0; round < 5; round += 1) {
      const [send, time, hours] = [round % 2 === 0 ? 'digest' : 'now', `0${round}:15`, round + 2] as const;
      await Promise.all([
        change({ time_zone: round % 2 === 0 ? 'Europe/Berlin' : 'Asia/Tokyo' }),
        change({ digest_at: time }),
        change({ rules: [{ kind: 'spike', send }] }),
        change({ rules: [{ kind: 'spike', repeat_hours: hours }] }),
      ]);
      const { data } = (await callApi(server, owner, 'GET', `/games/${game.uid}/alerts`)).body;
      const spike = data.rules.find(({ kind }: { kind: string }) => kind === 'spike');
      assert.deepEqual(
        [data.time_zone, data.digest_at, spike.send, spike.repeat_hours],
        [round % 2 === 0 ? 'Europe/Berlin' : 'Asia/Tokyo', time, send, hours],
      );
    }
  });

  test('outlives its game, for operators, and says who deleted it', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const { name } = (await callApi(server, owner, 'GET', `/games/${game.uid}`)).body.data;
    const deletion = { name, password: game.owner.password };
    assert.equal((await callApi(server, owner, 'POST', `/games/${game.uid}/deletion`, deletion)).status, 202);
    const operator = await makeOperator();
    const { body } = await callApi(server, operator, 'GET', '/operator/audit?what=games.delete&limit=1');
    assert.deepEqual(body.data.entries[0].game, { game_uid: game.uid, name });
  });
});

async function makeOperator(): Promise<{ cookie: string }> {
  const person = await makePlayer(server);
  await changed(server.ctx.db, sql`update users set operator = true where id = ${person.id}`);
  return person.headers;
}

describe('sign-ins and changes of accounts', () => {
  test('are recorded with the person, and failed sign-ins as a burst', async () => {
    const person = await makePlayer(server);
    const operator = await makeOperator();
    const list = async (query: string) =>
      (await callApi(server, operator, 'GET', `/operator/audit?${query}`)).body.data.entries as Entry[];
    const signIns = (await list('what=auth.signInEmail')).filter(({ actor }) => actor.id === person.id);
    assert.equal(signIns.length, 1);
    const post = (path: string, body: object, headers: object = {}) =>
      request(`${server.url}/api/auth${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, ...headers },
        body: JSON.stringify(body),
      });
    assert.equal((await post('/update-user', { name: 'New Name' }, person.headers)).status, 200);
    const [renamed] = await list('what=auth.updateUser');
    assert.deepEqual(renamed?.changes.name, { before: 'Player', after: 'New Name' });
    const burst = { email: person.email, password: 'wrong password' };
    for (let n = 0; n < 15; n += 1) await post('/sign-in/email', burst);
    const failures = (await list('what=auth.signInEmail&kind=anonymous')).filter(
      ({ changes }) => changes.failed_sign_ins,
    );
    assert.ok(failures.length >= 1 && failures.length <= 2);
    assert.ok(!JSON.stringify(await list('limit=100')).includes(person.email));
  });
});

describe('the list', () => {
  test('is for the owner and admins of the game, and operators', async () => {
    const { game, owner } = await makeOwnedGame(server);
    const admin = await makePlayer(server);
    const stranger = await makePlayer(server);
    await makeAdmin(server, game.uid, admin);
    await callApi(server, owner, 'PATCH', `/games/${game.uid}`, { name: 'x' });
    assert.equal((await listEntries(admin.headers, game.uid)).length, 1);
    for (const path of [`/games/${game.uid}/audit`, `/games/${game.uid}/audit/export`])
      assert.deepEqual(statusOf(await callApi(server, stranger.headers, 'GET', path)), [404, 4040]);
    for (const path of ['/operator/audit', '/operator/audit/export'])
      assert.deepEqual(statusOf(await callApi(server, owner, 'GET', path)), [403, 4033]);
  });

  test('filters by person, kind, operation, time and text, and pages without gaps', async () => {
    const { game, owner } = await makeOwnedGame(server);
    for (let n = 0; n < 7; n += 1) await callApi(server, owner, 'PATCH', `/games/${game.uid}`, { name: `100%_${n}` });
    await callApi(server, owner, 'POST', `/games/${game.uid}/deploy-keys`);
    const count = async (query: string) => (await listEntries(owner, game.uid, query)).length;
    assert.equal(await count('who=own'), 8);
    assert.equal(await count('who=stranger'), 0);
    assert.equal(await count('kind=agent'), 0);
    assert.equal(await count('what=games'), 7);
    assert.equal(await count('what=game'), 0);
    assert.equal(await count(`search=${encodeURIComponent('100%_3')}`), 2, 'as the value before and after');
    assert.equal(await count(`search=${encodeURIComponent('%%')}`), 0);
    assert.equal(await count(`to=${new Date(Date.now() - DAY).toISOString()}`), 0);
    assert.equal(await count(`from=${new Date(Date.now() - DAY).toISOString()}`), 8);
    const seen: string[] = [];
    let cursor = '';
    do {
      const path = `/games/${game.uid}/audit?limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { data } = (await callApi(server, owner, 'GET', path)).body;
      seen.push(...data.entries.map(({ entry_id }: Entry) => entry_id));
      cursor = data.next_cursor ?? '';
    } while (cursor !== '');
    assert.equal(seen.length, 8);
    assert.deepEqual(seen, seen.toSorted().toReversed());
  });

  test('is exported whole as CSV that spreadsheets do not run, and as JSON lines', async () => {
    const { game, owner } = await makeOwnedGame(server);
    await callApi(server, owner, 'PATCH', `/games/${game.uid}`, { name: '=HYPERLINK("https://evil.example")' });
    await changed(
      server.ctx.db,
      sql`insert into audit_entries (entry_id, operation, actor_kind, actor_name, about_game, details, changes, outcome)
        select gen_random_uuid(), '=cmd', 'user', '@name, "quoted"', ${game.uid}, '{}', '{}', 0 from generate_series(1, 1200)`,
    );
    const read = async (format: string) => {
      const response = await fetch(`${server.api}/games/${game.uid}/audit/export?format=${format}`, { headers: owner });
      return { type: response.headers.get('content-type') ?? '', lines: (await response.text()).trim().split('\n') };
    };
    const csv = await read('csv');
    assert.match(csv.type, /^text\/csv/);
    assert.equal(csv.lines.length, 1202);
    const formulas = csv.lines.filter((line) => /(^|,)"?[=+@-]/.test(line));
    assert.deepEqual(formulas, []);
    const json = await read('jsonl');
    assert.equal(json.lines.length, 1201);
    const entries = json.lines.map((line) => JSON.parse(line) as Entry & { actor: object });
    assert.ok(entries.some(({ changes }) => changes.name?.after === '=HYPERLINK("https://evil.example")'));
  });

  test('forgets entries after the days of the setting, and running the job again changes nothing', async () => {
    const { game, owner } = await makeOwnedGame(server);
    await callApi(server, owner, 'PATCH', `/games/${game.uid}`, { name: 'New' });
    const insertAt = (days: number) =>
      changed(
        server.ctx.db,
        sql`insert into audit_entries (entry_id, operation, actor_kind, actor_name, about_game, details, changes, outcome)
          values (${newId(Date.now() - days * DAY)}, ${`days.${days}`}, 'user', 'x', ${game.uid}, '{}', '{}', 0)`,
      );
    await insertAt(399);
    await insertAt(401);
    await expireAudit(server.ctx);
    await expireAudit(server.ctx);
    assert.deepEqual(
      (await listEntries(owner, game.uid)).map(({ operation }) => operation),
      ['games.update', 'days.399'],
    );
  });
});

test('events and crash reports leave no entry', async () => {
  const game = await makeGame(server);
  const { buildId } = await ship(server, game);
  const known = (await allRows()).length;
  const headers = { 'x-app-id': game.uid, 'x-build-id': buildId };
  await callApi(server, headers, 'POST', '/public/events', { events: [{ event: 'session_start' }] });
  await callApi(server, headers, 'POST', '/public/crashes', { message: 'x' });
  assert.equal((await allRows()).length, known);
});
