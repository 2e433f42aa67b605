// The audit log of an organisation on the real server: its members, settings and games, for its owners and admins.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, rows } from '../src/kernel/database/db.ts';
import { signUp, signUpVerified } from './setup/accounts.ts';
import { connect, makeKey } from './setup/agents.ts';
import { callApi, makeOwnedGame, type Session, statusOf } from './setup/api-calls.ts';
import { mailTo } from './setup/mail.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_INVITATIONS: '0' } });
});
after(() => server.stop());

type Entry = {
  operation: string;
  actor: { kind: string; name: string };
  game: { game_uid: string } | null;
  changes: Record<string, { before?: unknown; after?: unknown }>;
};

const call = (headers: Session, method: string, path: string, body?: object) =>
  callApi(server, headers, method, path, body);

async function open(): Promise<{ owner: Session; organisation: string; gameUid: string }> {
  const { game, owner } = await makeOwnedGame(server);
  const { body } = await call(owner, 'GET', '/organisations');
  return { owner, organisation: body.data.organisations[0].organisation_uid, gameUid: game.uid };
}

async function list(headers: Session, organisation: string, query = ''): Promise<Entry[]> {
  const response = await call(headers, 'GET', `/organisations/${organisation}/audit?${query}`);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data.entries;
}

async function join(owner: Session, organisation: string, role: Role) {
  const person = await makePlayer(server);
  await call(owner, 'POST', `/organisations/${organisation}/invitations`, { email: person.email, role });
  const { text } = await mailTo(server, person.email, /^Invitation to/);
  const [, token = ''] = /\/invitations\/(\w+)/.exec(text) ?? [];
  assert.equal((await call(person.headers, 'POST', `/invitations/${token}/accept`)).status, 200);
  return person;
}

describe('the audit log of an organisation', () => {
  test('has its settings, members and games, with the values before and after', async () => {
    const { owner, organisation, gameUid } = await open();
    await call(owner, 'PATCH', `/organisations/${organisation}`, { name: 'Owls' });
    const person = await join(owner, organisation, 'triager');
    await call(owner, 'PATCH', `/organisations/${organisation}/members/${person.id}`, { role: 'admin' });
    await call(owner, 'PATCH', `/games/${gameUid}`, { name: 'North' });
    await call(owner, 'DELETE', `/organisations/${organisation}/members/${person.id}`);
    const entries = await list(owner, organisation);
    assert.deepEqual(
      entries.map(({ operation, changes }) => [operation, changes.member ?? changes.name ?? null]),
      [
        ['organisations.removeMember', { before: { name: 'Player', role: 'admin' }, after: null }],
        ['games.update', { before: entries[1]?.changes.name?.before, after: 'North' }],
        [
          'organisations.setRole',
          { before: { name: 'Player', role: 'triager' }, after: { name: 'Player', role: 'admin' } },
        ],
        ['invitations.accept', { before: null, after: { name: 'Player', role: 'triager' } }],
        ['organisations.invite', null],
        ['organisations.update', { before: 'Owner', after: 'Owls' }],
      ],
    );
    assert.ok(!JSON.stringify(entries).includes(person.email));
    assert.deepEqual(
      (await list(owner, organisation, 'what=games')).map(({ game }) => game?.game_uid),
      [gameUid],
    );
  });

  test('is for owners and admins of the organisation, also as a file and for their agents', async () => {
    const { owner, organisation } = await open();
    await call(owner, 'PATCH', `/organisations/${organisation}`, { name: '=HYPERLINK("https://evil.example")' });
    const [admin, developer] = [await join(owner, organisation, 'admin'), await join(owner, organisation, 'developer')];
    const stranger = await makePlayer(server);
    for (const part of ['audit', 'audit/export']) {
      const path = `/organisations/${organisation}/${part}`;
      assert.deepEqual(statusOf(await call(developer.headers, 'GET', path)), [403, 4031]);
      assert.deepEqual(statusOf(await call(stranger.headers, 'GET', path)), [404, 4040]);
    }
    const file = await fetch(`${server.api}/organisations/${organisation}/audit/export?what=organisations`, {
      headers: admin.headers,
    });
    const lines = (await file.text()).trim().split('\n');
    assert.match(file.headers.get('content-type') ?? '', /^text\/csv/);
    assert.equal(lines.length, 4);
    const agent = await connect(server, (await makeKey(server, admin.headers)).key);
    const result = await agent.call('list_organisation_audit_log', { organisation, what: 'organisations' });
    assert.equal(result.structuredContent.entries.length, 3);
    await agent.close();
  });

  test('has games that were moved in both organisations, and later changes only in the new one', async () => {
    const { owner, organisation, gameUid } = await open();
    const created = await call(owner, 'POST', '/organisations', { name: 'Second' });
    const second = created.body.data.organisation_uid;
    await call(owner, 'POST', `/games/${gameUid}/organisation`, { organisation: second });
    await call(owner, 'PATCH', `/games/${gameUid}`, { name: 'Moved' });
    const operations = async (of: string) => (await list(owner, of)).map(({ operation }) => operation);
    assert.deepEqual(await operations(organisation), ['organisations.moveGame']);
    assert.deepEqual(await operations(second), ['games.update', 'organisations.moveGame', 'organisations.create']);
    const [move] = await list(owner, organisation);
    assert.deepEqual(move?.changes.organisation, { before: 'Owner', after: 'Second' });
  });

  test('keeps the deletion of a game, and pages without gaps', async () => {
    const { owner, organisation, gameUid } = await open();
    for (let n = 0; n < 5; n += 1) await call(owner, 'PATCH', `/games/${gameUid}`, { name: `Name ${n}` });
    await changed(
      server.ctx.db,
      sql`insert into audit_entries (entry_id, operation, actor_kind, actor_name, other_organisation, details, changes, outcome)
        values (gen_random_uuid(), 'games.received', 'user', 'x', ${organisation}, '{}', '{}', 0)`,
    );
    const { name, game_uid: uid } = (await call(owner, 'GET', `/games/${gameUid}`)).body.data;
    const deleted = await call(owner, 'POST', `/games/${uid}/deletion`, { name, password: 'correct horse battery' });
    assert.equal(deleted.status < 300, true, JSON.stringify(deleted.body));
    const seen: string[] = [];
    let cursor = '';
    do {
      const path = `/organisations/${organisation}/audit?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { data } = (await call(owner, 'GET', path)).body;
      seen.push(...data.entries.map(({ operation }: Entry) => operation));
      cursor = data.next_cursor ?? '';
    } while (cursor !== '');
    assert.deepEqual(seen.toSorted(), [...Array(5).fill('games.update'), 'games.delete', 'games.received'].toSorted());
  });
});

test('the verification of an address by a link is in the audit log, without the address', async () => {
  const account = await signUpVerified(server);
  await signUp(server);
  const wrong = await fetch(`${server.url}/api/auth/verify-email?token=x`, { redirect: 'manual' });
  assert.ok(wrong.status >= 300 && wrong.status < 500);
  const entries = await rows(
    server.ctx.db,
    sql`select actor_name, actor_kind, changes from audit_entries where operation = 'auth.verifyEmail'`,
  );
  assert.deepEqual(entries, [
    {
      actor_name: 'New Developer',
      actor_kind: 'user',
      changes: { email_verified: { before: false, after: true } },
    },
  ]);
  assert.ok(!JSON.stringify(entries).includes(account.email));
});
