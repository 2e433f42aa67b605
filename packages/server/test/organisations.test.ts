// Organisations on the real server: their members, invitations and games, and what happens when people leave.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { isAtLeast, ROLE_NAMES, ROLES, type Role } from '@chauffeur/contract/roles';
import { sql } from 'kysely';
import { changed, row } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { setUserDisabled } from '../src/people/accounts/accounts.ts';
import { callApi, makeOwnedGame, type OwnedGame, type Session, statusOf } from './setup/api-calls.ts';
import { mailTo } from './setup/mail.ts';
import { makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let now = Date.now();
before(async () => {
  server = await startServer({ clock: { now: () => new Date(now) }, env: { CHAUFFEUR_LIMIT_INVITATIONS: '0' } });
});
after(() => server.stop());

type Person = Awaited<ReturnType<typeof makePlayer>>;

const call = (headers: Session, method: string, path: string, body?: object) =>
  callApi(server, headers, method, path, body);

/** A game with its organisation. */
async function open(): Promise<OwnedGame & { organisation: string; ownerId: string }> {
  const own = await makeOwnedGame(server);
  const { organisations } = (await call(own.owner, 'GET', '/organisations')).body.data;
  const { members } = (await call(own.owner, 'GET', `/games/${own.game.uid}`)).body.data;
  return { ...own, organisation: organisations[0].organisation_uid, ownerId: members[0].user_id };
}

const invite = (headers: Session, organisation: string, email: string, role: Role) =>
  call(headers, 'POST', `/organisations/${organisation}/invitations`, { email, role });

async function tokenFor(email: string): Promise<string> {
  const { text } = await mailTo(server, email, /^Invitation to/);
  return /\/invitations\/(\w+)/.exec(text)?.[1] ?? '';
}

/** Invites a person, who accepts. */
async function join(headers: Session, organisation: string, role: Role): Promise<Person> {
  const person = await makePlayer(server);
  assert.equal((await invite(headers, organisation, person.email, role)).status, 202);
  const accepted = await call(person.headers, 'POST', `/invitations/${await tokenFor(person.email)}/accept`);
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  return person;
}

test('the mail of an invitation explains the role in its own sentence', async () => {
  const { owner, organisation } = await open();
  const texts = await Promise.all(
    ROLE_NAMES.map(async (role) => {
      const { email } = await makePlayer(server);
      assert.equal((await invite(owner, organisation, email, role)).status, 202);
      return (await mailTo(server, email, /^Invitation to/)).text.replaceAll(/\s+/g, ' ');
    }),
  );
  for (const [index, role] of ROLE_NAMES.entries())
    assert.match(
      texts[index] ?? '',
      new RegExp(`with the role ${role}\\. ${ROLES[role].label}s [a-z]+[ ,] ?[^.]+\\. Accept or`),
    );
});

const rolesIn = async (headers: Session, organisation: string): Promise<Record<string, Role>> =>
  Object.fromEntries(
    (await call(headers, 'GET', `/organisations/${organisation}`)).body.data.member_list.map(
      (member: { user_id: string; role: Role }) => [member.user_id, member.role],
    ),
  );

const setRole = (headers: Session, organisation: string, userId: string, role: Role) =>
  call(headers, 'PATCH', `/organisations/${organisation}/members/${userId}`, { role });

describe('an organisation', () => {
  test('is created with the first game of a person, who owns it, and gets their next games', async () => {
    const { owner, organisation, game } = await open();
    const second = await call(owner, 'POST', '/games', { name: 'Second' });
    const { data } = (await call(owner, 'GET', `/organisations/${organisation}`)).body;
    assert.deepEqual([data.role, data.personal, data.games, data.members], ['owner', true, 2, 1]);
    assert.deepEqual(
      data.game_list.map(({ game_uid }: { game_uid: string }) => game_uid).sort(),
      [game.uid, second.body.data.game_uid].sort(),
    );
  });

  test('is created, renamed and deleted by its owner, with a slug that no other one has', async () => {
    const person = await makePlayer(server);
    const slug = `owls-${newId().slice(-12)}`;
    const created = await call(person.headers, 'POST', '/organisations', { name: ' Owls ', slug });
    assert.deepEqual([created.status, created.body.data.name, created.body.data.slug], [201, 'Owls', slug]);
    const taken = await call(person.headers, 'POST', '/organisations', { name: 'Other', slug });
    assert.equal(taken.body.error?.code, 4002);
    const renamed = await call(person.headers, 'PATCH', `/organisations/${slug}`, { name: 'Hawks', slug: null });
    assert.deepEqual([renamed.body.data.name, renamed.body.data.slug], ['Hawks', null]);
    const uid = created.body.data.organisation_uid;
    for (const name of ['', '  ', 'a\u202eb', 'x'.repeat(81)])
      assert.equal((await call(person.headers, 'PATCH', `/organisations/${uid}`, { name })).body.error?.code, 4002);
    const game = await call(person.headers, 'POST', '/games', { name: 'Nest', organisation: uid });
    assert.equal(game.status, 201);
    assert.equal((await call(person.headers, 'DELETE', `/organisations/${uid}`)).body.error?.code, 4238);
    await changed(server.ctx.db, sql`delete from all_games where game_id = ${game.body.data.game_uid}`);
    assert.equal((await call(person.headers, 'DELETE', `/organisations/${uid}`)).status, 200);
    assert.equal((await call(person.headers, 'GET', `/organisations/${uid}`)).body.error?.code, 4040);
  });

  test('is hidden from strangers, and its operations are refused for every role below their own', async () => {
    const { owner, organisation } = await open();
    const stranger = await makePlayer(server);
    const people = await Promise.all(
      ROLE_NAMES.map(async (role) => [role, await join(owner, organisation, role)] as const),
    );
    const values = { user_id: newId(), invitation_uid: newId() };
    const bodies: Record<string, object> = {
      'organisations.setRole': { role: 'viewer' },
      'organisations.invite': { email: 'someone@example.com', role: 'viewer' },
      'organisations.requireSignIn': { required_sign_in: null },
    };
    const operations = (OPERATIONS as readonly Operation[]).filter(({ path }) => path.startsWith('/organisations/{'));
    for (const { id, method, path, role } of operations) {
      assert.ok(role !== undefined, id);
      const address = path.replace(/\{(\w+)\}/g, (_, name) => ({ ...values, organisation })[name as 'user_id'] ?? '');
      assert.deepEqual(statusOf(await call(stranger.headers, method, address, bodies[id])), [404, 4040], id);
      for (const [lower, person] of people) {
        if (isAtLeast(lower, role)) continue;
        const { status, body } = await call(person.headers, method, address, bodies[id]);
        assert.deepEqual([status, body.error?.code], [403, 4031], `${id} as ${lower}`);
        assert.match(body.error?.message ?? '', new RegExp(`${role}s.* of the organisation.* Your role is ${lower}`));
      }
    }
  });

  test('lets admins create games in it, of which an owner is responsible', async () => {
    const { owner, organisation, ownerId } = await open();
    const [admin, developer] = [await join(owner, organisation, 'admin'), await join(owner, organisation, 'developer')];
    const create = (person: Person) => call(person.headers, 'POST', '/games', { name: 'Shared', organisation });
    assert.deepEqual(statusOf(await create(developer)), [403, 4031]);
    const { status, body } = await create(admin);
    assert.deepEqual([status, body.data.role], [201, 'admin']);
    const { members } = (await call(owner, 'GET', `/games/${body.data.game_uid}`)).body.data;
    assert.deepEqual([members[0].user_id, members[0].role], [ownerId, 'owner']);
  });
});

describe('members', () => {
  test('get and lose access to all games of the organisation with their role', async () => {
    const { owner, organisation, game } = await open();
    const person = await join(owner, organisation, 'viewer');
    const gameFor = async () => (await call(person.headers, 'GET', `/games/${game.uid}`)).body.data?.role ?? null;
    assert.equal(await gameFor(), 'viewer');
    assert.equal((await setRole(owner, organisation, person.id, 'developer')).status, 200);
    assert.equal(await gameFor(), 'developer');
    assert.equal((await call(owner, 'DELETE', `/organisations/${organisation}/members/${person.id}`)).status, 200);
    assert.equal(await gameFor(), null);
  });

  test('are not made more than the person who changes them, and no one but owners changes owners', async () => {
    const { owner, organisation, ownerId } = await open();
    const [admin, viewer] = [await join(owner, organisation, 'admin'), await join(owner, organisation, 'viewer')];
    const asAdmin = (userId: string, role: Role) => setRole(admin.headers, organisation, userId, role);
    assert.deepEqual(statusOf(await asAdmin(viewer.id, 'owner')), [403, 4031]);
    assert.deepEqual(statusOf(await asAdmin(admin.id, 'owner')), [403, 4031]);
    assert.deepEqual(statusOf(await asAdmin(ownerId, 'viewer')), [403, 4031]);
    const path = `/organisations/${organisation}/members/${ownerId}`;
    assert.deepEqual(statusOf(await call(admin.headers, 'DELETE', path)), [403, 4031]);
    assert.deepEqual(statusOf(await invite(admin.headers, organisation, 'x@example.com', 'owner')), [403, 4031]);
    assert.equal((await asAdmin(viewer.id, 'admin')).status, 200);
  });

  test('always include an owner, also when two owners demote each other at once, or both leave', async () => {
    for (const change of ['demote', 'leave'] as const) {
      const { owner, organisation, ownerId } = await open();
      const other = await join(owner, organisation, 'owner');
      const act = (headers: Session, target: string) =>
        change === 'demote'
          ? setRole(headers, organisation, target, 'viewer')
          : call(headers, 'POST', `/organisations/${organisation}/leave`);
      const responses = await Promise.all([act(owner, other.id), act(other.headers, ownerId)]);
      assert.deepEqual(responses.map(({ status }) => status < 300).sort(), [false, true], change);
      const left = await row(
        server.ctx.db,
        sql<{ owners: number }>`select count(*) as owners from organisation_members
          where organisation_id = ${organisation} and role = 'owner'`,
      );
      assert.equal(left?.owners, 1);
    }
    const { owner, organisation, ownerId } = await open();
    assert.deepEqual(statusOf(await call(owner, 'POST', `/organisations/${organisation}/leave`)), [409, 4234]);
    assert.deepEqual(statusOf(await setRole(owner, organisation, ownerId, 'admin')), [409, 4234]);
  });

  test('who are responsible for games hand them to another owner when they leave', async () => {
    const { owner, organisation, game, ownerId } = await open();
    const other = await join(owner, organisation, 'owner');
    assert.equal((await call(owner, 'POST', `/organisations/${organisation}/leave`)).status, 200);
    assert.equal((await call(owner, 'GET', `/games/${game.uid}`)).status, 404);
    const { members } = (await call(other.headers, 'GET', `/games/${game.uid}`)).body.data;
    assert.deepEqual(
      members.map((member: { user_id: string; role: Role }) => [member.user_id, member.role]),
      [[other.id, 'owner']],
    );
    // The next game of the person who left belongs to a new organisation.
    const next = await call(owner, 'POST', '/games', { name: 'Fresh start' });
    assert.equal(next.status, 201);
    const [own] = (await call(owner, 'GET', '/organisations')).body.data.organisations;
    assert.notEqual(own.organisation_uid, organisation);
    assert.deepEqual(Object.keys(await rolesIn(owner, own.organisation_uid)), [ownerId]);
  });
});

describe('an invitation to an organisation', () => {
  test('is answered once, by its recipient only, and its mail does not reveal whether there is an account', async () => {
    const { owner, organisation } = await open();
    const [person, other] = [await makePlayer(server), await makePlayer(server)];
    const sent = await invite(owner, organisation, person.email.toUpperCase(), 'triager');
    assert.deepEqual([sent.status, sent.body.data.role, sent.body.data.status], [202, 'triager', 'pending']);
    const unknown = await invite(owner, organisation, `${newId()}@example.com`, 'triager');
    assert.deepEqual(Object.keys(unknown.body.data), Object.keys(sent.body.data));
    const token = await tokenFor(person.email);
    const view = await call(person.headers, 'GET', `/invitations/${token}`);
    assert.deepEqual(
      [view.body.data.game, view.body.data.organisation.organisation_uid, view.body.data.problem],
      [null, organisation, null],
    );
    const accept = (headers: Session) => call(headers, 'POST', `/invitations/${token}/accept`);
    assert.deepEqual(statusOf(await accept(other.headers)), [403, 4231]);
    const answers = await Promise.all([accept(person.headers), accept(person.headers)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await rolesIn(owner, organisation))[person.id], 'triager');
  });

  test('ends after a week, when it is withdrawn, and when its sender could no longer send it', async () => {
    const { owner, organisation } = await open();
    const admin = await join(owner, organisation, 'admin');
    const accept = async (person: Person) =>
      statusOf(await call(person.headers, 'POST', `/invitations/${await tokenFor(person.email)}/accept`));
    const [late, withdrawn, orphaned] = [await makePlayer(server), await makePlayer(server), await makePlayer(server)];
    await invite(owner, organisation, late.email, 'viewer');
    now += 8 * 24 * 3600_000;
    assert.deepEqual(await accept(late), [409, 4230]);
    const { body } = await invite(owner, organisation, withdrawn.email, 'viewer');
    const path = `/organisations/${organisation}/invitations/${body.data.invitation_uid}`;
    assert.equal((await call(owner, 'DELETE', path)).status, 200);
    assert.deepEqual(await accept(withdrawn), [409, 4230]);
    await invite(admin.headers, organisation, orphaned.email, 'admin');
    await setRole(owner, organisation, admin.id, 'developer');
    assert.deepEqual(await accept(orphaned), [409, 4230]);
  });

  test('to a game ends when its sender is no longer an owner, or is disabled', async () => {
    const { owner, organisation, game } = await open();
    const second = await join(owner, organisation, 'owner');
    const accept = async (person: Person) =>
      statusOf(await call(person.headers, 'POST', `/invitations/${await tokenFor(person.email)}/accept`));
    for (const role of ['admin', 'viewer'] as const) {
      const [early, late, last] = [await makePlayer(server), await makePlayer(server), await makePlayer(server)];
      for (const { email } of [early, late, last]) {
        const sent = await call(second.headers, 'POST', `/games/${game.uid}/invitations`, { email, role });
        assert.equal(sent.status, 202, JSON.stringify(sent.body));
      }
      await setRole(owner, organisation, second.id, 'viewer');
      assert.deepEqual(await accept(early), [409, 4230], role);
      await setRole(owner, organisation, second.id, 'owner');
      await setUserDisabled(server.ctx, second.email, true);
      assert.deepEqual(await accept(late), [409, 4230], role);
      await setUserDisabled(server.ctx, second.email, false);
      second.headers = await signIn(server, { email: second.email, password: 'correct horse battery' });
      assert.deepEqual(await accept(last), [200, undefined], role);
    }
  });

  test('gives a role on one game, if it is to the game', async () => {
    const { owner, game, organisation } = await open();
    const person = await makePlayer(server);
    const sent = await call(owner, 'POST', `/games/${game.uid}/invitations`, { email: person.email, role: 'triager' });
    assert.deepEqual([sent.status, sent.body.data.role], [202, 'triager']);
    const { invitations } = (await call(owner, 'GET', `/games/${game.uid}/invitations`)).body.data;
    assert.deepEqual(
      invitations.map(({ invitation_uid }: { invitation_uid: string }) => invitation_uid),
      [sent.body.data.invitation_uid],
    );
    assert.equal(
      (await call(person.headers, 'POST', `/invitations/${await tokenFor(person.email)}/accept`)).status,
      200,
    );
    assert.equal((await call(person.headers, 'GET', `/games/${game.uid}`)).body.data.role, 'triager');
    assert.deepEqual(statusOf(await call(person.headers, 'GET', `/organisations/${organisation}`)), [404, 4040]);
    assert.equal((await call(person.headers, 'POST', `/games/${game.uid}/leave`)).status, 200);
    assert.equal((await call(person.headers, 'GET', `/games/${game.uid}`)).status, 404);
  });
});

describe('a game', () => {
  test('moves to another organisation that its owner owns, and the members change with it', async () => {
    const { owner, organisation, game } = await open();
    const viewer = await join(owner, organisation, 'viewer');
    const target = (await call(owner, 'POST', '/organisations', { name: 'Studio' })).body.data.organisation_uid;
    const foreign = await open();
    const move = (headers: Session, to: string) =>
      call(headers, 'POST', `/games/${game.uid}/organisation`, { organisation: to });
    assert.deepEqual(statusOf(await move(owner, foreign.organisation)), [404, 4040]);
    assert.deepEqual(statusOf(await move(viewer.headers, target)), [403, 4031]);
    assert.equal((await move(owner, target)).status, 200);
    assert.equal((await call(viewer.headers, 'GET', `/games/${game.uid}`)).status, 404);
    assert.equal((await call(owner, 'GET', `/games/${game.uid}`)).body.data.role, 'owner');
  });

  test('of the previous release has an organisation, when it creates or transfers the game', async () => {
    const { owner, game, organisation } = await open();
    const person = await makePlayer(server);
    const gameId = newId();
    const { db } = server.ctx;
    // What the previous release runs.
    await changed(
      db,
      sql`insert into games (game_id, owner_id, name, slug, visibility)
        values (${gameId}, ${person.id}, 'Old', ${`old-${gameId}`}, 'draft')`,
    );
    assert.equal((await call(person.headers, 'GET', `/games/${gameId}`)).body.data.role, 'owner');
    await changed(db, sql`update games set owner_id = ${person.id} where game_id = ${game.uid}`);
    assert.equal((await call(owner, 'GET', `/games/${game.uid}`)).status, 404);
    const listed = (await call(person.headers, 'GET', '/games')).body.data.games;
    assert.deepEqual(
      listed.map(({ organisation: of }: { organisation: { organisation_uid: string } }) => of.organisation_uid),
      [listed[0].organisation.organisation_uid, listed[0].organisation.organisation_uid],
    );
    assert.notEqual(listed[0].organisation.organisation_uid, organisation);
  });
});

describe('an account', () => {
  const remove = (headers: Session, password = 'correct horse battery') =>
    request(`${server.url}/api/auth/delete-user`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify({ password }),
    });

  test('can be deleted if its games have another owner, who becomes responsible for them', async () => {
    const { owner, game, organisation } = await open();
    const password = game.owner.password;
    assert.equal((await remove(owner, password)).status, 409);
    const other = await join(owner, organisation, 'owner');
    assert.equal((await remove(owner, password)).status, 200);
    const { members } = (await call(other.headers, 'GET', `/games/${game.uid}`)).body.data;
    assert.deepEqual(
      members.map((member: { user_id: string }) => member.user_id),
      [other.id],
    );
  });

  test('takes its empty organisations with it', async () => {
    const person = await makePlayer(server);
    const { body } = await call(person.headers, 'POST', '/organisations', { name: 'Empty' });
    assert.equal((await remove(person.headers)).status, 200);
    const left = await row(
      server.ctx.db,
      sql`select from organisations where organisation_id = ${body.data.organisation_uid}`,
    );
    assert.equal(left, undefined);
  });
});
