// What an organisation requires of how people sign in, on the real server: sessions, keys, agents and commands.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import { sql } from 'kysely';
import { changed, onlyRow, rows } from '../src/kernel/database/db.ts';
import { cookieOf, newAccount, postAuth, type SignedUp, signUp, trySignIn } from './setup/accounts.ts';
import { codeOf, connect, makeKey } from './setup/agents.ts';
import { callApi, makeOwnedGame, type Session } from './setup/api-calls.ts';
import { bearer, createToken } from './setup/api-tokens.ts';
import { loginHeaders, signInCommand } from './setup/cli-logins.ts';
import { connectProgram } from './setup/oauth.ts';
import { type SignOn, signInWith, startProvider } from './setup/openid.ts';
import { makeGame, makeMember, makePlayer, request, startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';
import { addApp, enterPassword, nextCode } from './setup/totp.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_AGENTS: '0' } });
});
after(() => server.stop());

const call = (headers: object, method: string, path: string, body?: object) =>
  callApi(server, headers, method, path, body);

/** The headers of an API token that the person creates. */
async function makeToken(headers: Session): Promise<{ authorization: string }> {
  const wish = { name: 'Script', scopes: ['builds:read'], games: null };
  const { body } = await call(headers, 'POST', '/account/api-tokens', wish);
  return { authorization: `Bearer ${body.data.token}` };
}

const codeFor = async (headers: object, method: string, path: string, body?: object): Promise<number> =>
  (await call(headers, method, path, body)).body.error?.code ?? 0;

const require = (headers: Session, organisation: string, required: SignInRequirement | null) =>
  call(headers, 'PUT', `/organisations/${organisation}/sign-in`, { required_sign_in: required });

type Member = SignedUp & { id: string; headers: Session };

async function makePerson(): Promise<Member> {
  const account = await signUp(server);
  const { id } = await onlyRow(server.ctx.db, sql<{ id: string }>`select id from users where email = ${account.email}`);
  return { ...account, id, headers: { cookie: account.cookie } };
}

/** An organisation with a game that requires a second factor, its owner, and a developer who has none. */
async function openGuarded() {
  const { game } = await makeOwnedGame(server);
  const { organisation_id: organisation } = await onlyRow(
    server.ctx.db,
    sql<{ organisation_id: string }>`select organisation_id from games where game_id = ${game.uid}`,
  );
  const signedIn = cookieOf(await trySignIn(server, game.owner));
  const { cookie, ...app } = await addApp(server, { ...game.owner, cookie: signedIn });
  const owner = { cookie };
  const member = await makePerson();
  await changed(
    server.ctx.db,
    sql`insert into organisation_members (organisation_id, user_id, role) values (${organisation}, ${member.id}, 'developer')`,
  );
  return { game, organisation, owner, app, member };
}

async function guard(setting: Awaited<ReturnType<typeof openGuarded>>): Promise<void> {
  const { status, body } = await require(setting.owner, setting.organisation, 'second_factor');
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.data.required_sign_in, 'second_factor');
}

describe('a required second factor', () => {
  test('keeps out members without one, says what to do, and lets them in once they signed in with it', async () => {
    const setting = await openGuarded();
    const { game, organisation, member } = setting;
    assert.equal((await call(member.headers, 'GET', `/games/${game.uid}`)).status, 200);
    await guard(setting);
    for (const path of [`/games/${game.uid}`, `/games/${game.uid}/builds`, `/organisations/${organisation}`]) {
      const refused = await call(member.headers, 'GET', path);
      assert.deepEqual([refused.status, refused.body.error?.code], [403, 4035], path);
      assert.match(
        refused.body.error?.message ?? '',
        /requires a second factor\. Add .* at http.*\/settings\/security/,
      );
    }
    assert.deepEqual((await call(member.headers, 'GET', '/games')).body.data.games, []);
    assert.deepEqual((await call(member.headers, 'GET', '/overview/games')).body.data.games, []);
    const [required] = (await call(member.headers, 'GET', '/account/sign-in-requirements')).body.data.requirements;
    assert.deepEqual([required.organisation_uid, required.met], [organisation, false]);
    const [listed] = (await call(member.headers, 'GET', '/organisations')).body.data.organisations;
    assert.deepEqual([listed.required_sign_in, listed.sign_in_met], ['second_factor', false]);

    const { cookie } = await addApp(server, member);
    const headers = { cookie };
    assert.equal((await call(headers, 'GET', `/games/${game.uid}`)).status, 200);
    assert.equal((await call(headers, 'GET', '/games')).body.data.games.length, 1);
    const [met] = (await call(headers, 'GET', '/account/sign-in-requirements')).body.data.requirements;
    assert.deepEqual([met.met, met.message], [true, null]);
    // A session from before, in another browser, still proves nothing.
    const other = await call(member.headers, 'GET', `/games/${game.uid}`);
    assert.equal(other.body.error?.code ?? 4011, other.status === 401 ? 4011 : 4035);
  });

  test('does not concern other organisations, the account, players and strangers', async () => {
    const setting = await openGuarded();
    const { member, game } = setting;
    const own = (await call(member.headers, 'POST', '/games', { name: 'My own game' })).body.data;
    await guard(setting);
    for (const path of ['/account/security', '/account/agent-keys', `/games/${own.game_uid}`, '/games'])
      assert.equal((await call(member.headers, 'GET', path)).status, 200, path);
    // The store page is public: for members who are kept out, it is what players see.
    const page = await call(member.headers, 'GET', `/public/games/${game.slug}`);
    assert.deepEqual([page.status, page.body.data.role ?? null], [200, null]);
    const stranger = await makePlayer(server);
    assert.equal(await codeFor(stranger.headers, 'GET', `/games/${game.uid}`), 4040);
    assert.equal(await codeFor(stranger.headers, 'GET', `/organisations/${setting.organisation}`), 4040);
    assert.equal((await call(game.keyHeaders as never, 'GET', '/tool/info')).status, 200);
  });

  test('applies to people with a role on a game alone, and to drafts', async () => {
    const setting = await openGuarded();
    const { game, owner } = setting;
    const guest = await makePerson();
    await makeMember(server, game.uid, guest, 'triager');
    await guard(setting);
    assert.equal((await call(owner, 'PATCH', `/games/${game.uid}`, { visibility: 'draft' })).status, 200);
    assert.equal(await codeFor(guest.headers, 'GET', `/games/${game.uid}/crashes`), 4035);
    assert.equal(await codeFor(guest.headers, 'GET', `/public/games/${game.slug}`), 4035);
    assert.equal(await codeFor({ cookie: '' }, 'GET', `/public/games/${game.slug}`), 4040);
    const [required] = (await call(guest.headers, 'GET', '/account/sign-in-requirements')).body.data.requirements;
    assert.equal(required.organisation_uid, setting.organisation);
    const { people } = (await call(owner, 'GET', `/organisations/${setting.organisation}/sign-in`)).body.data;
    assert.deepEqual(
      people.map(({ user_id, role, second_factor }: Record<string, unknown>) => [user_id, role, second_factor]),
      [
        [game.owner.id, 'owner', true],
        [setting.member.id, 'developer', false],
        [guest.id, null, false],
      ],
    );
  });

  test('lets members leave', async () => {
    const setting = await openGuarded();
    const guest = await makePerson();
    await makeMember(server, setting.game.uid, guest, 'viewer');
    await guard(setting);
    assert.equal(await codeFor(guest.headers, 'POST', `/games/${setting.game.uid}/leave`), 0);
    assert.equal(await codeFor(setting.member.headers, 'POST', `/organisations/${setting.organisation}/leave`), 0);
    assert.equal(await codeFor(setting.member.headers, 'GET', `/organisations/${setting.organisation}`), 4040);
  });

  test('counts for programs if they were connected in a session with it, and the account still has it', async () => {
    const setting = await openGuarded();
    const { game, member } = setting;
    const { key } = await makeKey(server, member.headers);
    const program = await connectProgram(server, member.headers.cookie);
    const login = await signInCommand(server, member.headers, { game: game.uid });
    const token = await makeToken(member.headers);
    await guard(setting);
    const refused = await call(token, 'GET', `/games/${game.uid}/builds`);
    assert.equal(refused.body.error?.code, 4035);
    assert.match(refused.body.error?.message ?? '', /create this API token again/);
    const use = async (token: string) => {
      const agent = await connect(server, token);
      const results = [await agent.call('list_game_builds', { uid: game.uid }), await agent.call('list_games')];
      await agent.close();
      return { code: codeOf(results[0]!), text: JSON.stringify(results), games: results[1]!.structuredContent.games };
    };
    for (const [token, remedy] of [
      [key, /create this personal key again/],
      [program.access_token, /connect this agent again/],
    ] as const) {
      const { code, text, games } = await use(token);
      assert.equal(code, 4035);
      assert.match(text, remedy);
      assert.deepEqual(games, []);
    }
    const shipped = await request(`${server.api}/tool/info`, { headers: loginHeaders(login.key, game.uid) });
    assert.equal(shipped.body.error?.code, 4035);
    assert.match(shipped.body.error?.message ?? '', /run chauffeur login again/);
    // Without the name of the game, the only one is meant, and the error is the same.
    const only = await request(`${server.api}/tool/info`, { headers: loginHeaders(login.key) });
    assert.equal(only.body.error?.code, 4035);

    const headers = { cookie: (await addApp(server, member)).cookie };
    const newKey = await makeKey(server, headers);
    const newToken = await makeToken(headers);
    const builds = () => codeFor(newToken, 'GET', `/games/${game.uid}/builds`);
    assert.equal(await builds(), 0);
    const newProgram = await connectProgram(server, headers.cookie);
    const newLogin = await signInCommand(server, headers, { game: game.uid });
    assert.equal((await use(key)).code, 4035);
    for (const token of [newKey.key, newProgram.access_token]) assert.equal((await use(token)).code, 0);
    const info = () => request(`${server.api}/tool/info`, { headers: loginHeaders(newLogin.key) });
    assert.equal((await info()).status, 200);

    // An operator removes the second factor of someone who lost it.
    await changed(server.ctx.db, sql`update users set two_factor_enabled = false where id = ${member.id}`);
    assert.equal((await use(newKey.key)).code, 4035);
    assert.equal(await builds(), 4035);
    assert.equal((await info()).body.error?.code, 4035);
  });

  test('is turned on only by an owner who meets it, and can be turned off again', async () => {
    const setting = await openGuarded();
    const { organisation, game, member, owner } = setting;
    assert.equal((await require(member.headers, organisation, 'second_factor')).body.error?.code, 4031);
    const second = await makePerson();
    await changed(
      server.ctx.db,
      sql`insert into organisation_members (organisation_id, user_id, role) values (${organisation}, ${second.id}, 'owner')`,
    );
    const refused = await require(second.headers, organisation, 'second_factor');
    assert.deepEqual([refused.status, refused.body.error?.code], [403, 4035]);
    const withoutSignOn = await require(owner, organisation, 'single_sign_on');
    assert.match(withoutSignOn.body.error?.message ?? '', /has not set up single sign-on/);
    await guard(setting);
    assert.equal((await require(second.headers, organisation, null)).body.error?.code, 4035);
    assert.equal((await require(owner, organisation, null)).status, 200);
    assert.equal((await call(member.headers, 'GET', `/games/${game.uid}`)).status, 200);
    for (const body of [{}, { required_sign_in: 'none' }, { required_sign_in: ['second_factor'] }])
      assert.equal(await codeFor(owner, 'PUT', `/organisations/${organisation}/sign-in`, body), 4002);
    const entries = await rows(
      server.ctx.db,
      sql`select changes from audit_entries where operation = 'organisations.requireSignIn' and outcome = 0
        and actor_id = ${game.owner.id} order by entry_id desc`,
    );
    assert.deepEqual(entries, [
      { changes: { required_sign_in: { before: 'second_factor', after: null } } },
      { changes: { required_sign_in: { before: null, after: 'second_factor' } } },
    ]);
  });

  test('keeps the last second factor of its people', async () => {
    const setting = await openGuarded();
    const { owner, game } = setting;
    const remove = (body: object) => postAuth(server, '/two-factor/disable', body, owner as { cookie: string });
    await guard(setting);
    const kept = await remove({ password: game.owner.password });
    const { error, code } = (await kept.json()) as { error: { code: number }; code: string };
    assert.deepEqual([kept.status, error.code, code], [409, 4097, 'SECOND_FACTOR_REQUIRED']);
    assert.equal((await call(owner, 'GET', `/games/${game.uid}`)).status, 200);
    await require(owner, setting.organisation, null);
    assert.equal((await remove({ password: game.owner.password })).status, 200);
  });

  test('covers the games that its owner creates in it without naming it', async () => {
    const setting = await openGuarded();
    await guard(setting);
    await changed(
      server.ctx.db,
      sql`update user_sessions set sign_in_method = 'password' where user_id = ${setting.game.owner.id}`,
    );
    assert.equal(await codeFor(setting.owner, 'POST', '/games', { name: 'Another game' }), 4035);
  });

  test('never lets in a sign-in that races with it', async () => {
    const setting = await openGuarded();
    const { game, member, organisation, owner } = setting;
    const attempts = Array.from({ length: 8 }, async () => {
      const headers = { cookie: cookieOf(await trySignIn(server, member)) };
      await call(headers, 'GET', `/games/${game.uid}`);
      return headers;
    });
    const [, ...sessions] = await Promise.all([require(owner, organisation, 'second_factor'), ...attempts]);
    for (const headers of sessions) assert.equal(await codeFor(headers, 'GET', `/games/${game.uid}`), 4035);
    // Turning it on while the last factor is removed: the owner is kept out until they add one again.
    await require(owner, organisation, null);
    const [, removed] = await Promise.all([
      require(owner, organisation, 'second_factor'),
      postAuth(server, '/two-factor/disable', { password: game.owner.password }, owner),
    ]);
    const current = removed.ok ? { cookie: cookieOf(removed) } : owner;
    const { required_sign_in: required, second_factor: has } = await onlyRow(
      server.ctx.db,
      sql<{ required_sign_in: string | null; second_factor: boolean }>`select required_sign_in,
        two_factor_enabled as second_factor from organisations, users
        where organisation_id = ${organisation} and users.id = ${game.owner.id}`,
    );
    const expected = required !== null && !has ? 4035 : 0;
    assert.equal(await codeFor(current, 'GET', `/games/${game.uid}`), expected);
  });

  test('is recorded once with what was required before, also if owners turn it on at once', async () => {
    const { organisation, owner } = await openGuarded();
    for (let round = 1; round <= 3; round += 1) {
      await Promise.all(Array.from({ length: 12 }, () => require(owner, organisation, 'second_factor')));
      await require(owner, organisation, null);
      const formers = await rows(
        server.ctx.db,
        sql<{ before: string | null }>`select changes->'required_sign_in'->>'before' as before from audit_entries
          where operation = 'organisations.requireSignIn' and about_organisation = ${organisation}
            and changes ? 'required_sign_in' order by entry_id`,
      );
      const fromNothing = formers.filter(({ before: former }) => former === null).length;
      assert.deepEqual([fromNothing, formers.length - fromNothing], [round, round]);
    }
  });

  test('is ended by an operator on the server', async () => {
    const setting = await openGuarded();
    await guard(setting);
    const args = ['admin', 'organisation', 'allow-any-sign-in', '--organisation', setting.organisation, '--json'];
    const { code, stdout } = await runServerCommand(environmentOf(server), args);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      organisation_uid: setting.organisation,
      required_before: 'second_factor',
    });
    assert.equal((await call(setting.member.headers, 'GET', `/games/${setting.game.uid}`)).status, 200);
  });
});

describe('required single sign-on', () => {
  let signOn: SignOn & { signedIn(person: object): void };
  before(async () => {
    signOn = (await startProvider()) as never;
  });
  after(() => signOn.stop());

  test('is met by sessions that came from it, and by what was created in them', async () => {
    const on = signOn.server;
    const game = await makeGame(on);
    const { email } = game.owner;
    signOn.signedIn({ sub: newAccount().email, email, email_verified: true, name: 'Owner' });
    const owner = { cookie: (await signInWith(signOn)).cookie };
    const withPassword = { cookie: cookieOf(await trySignIn(on, game.owner)) };
    const { organisations } = (await callApi(on, owner, 'GET', '/organisations')).body.data;
    const path = `/organisations/${organisations[0].organisation_uid}/sign-in`;
    const body = { required_sign_in: 'single_sign_on' };
    const refused = await callApi(on, withPassword, 'PUT', path, body);
    assert.equal(refused.body.error?.code, 4035);
    assert.match(refused.body.error?.message ?? '', /requires single sign-on\. Sign in with .* at http/);
    const key = await makeKey(on, owner);
    const passwordKey = await makeKey(on, withPassword);
    assert.equal((await callApi(on, owner, 'PUT', path, body)).status, 200);
    const gamePath = `/games/${game.uid}`;
    assert.equal((await callApi(on, owner, 'GET', gamePath)).status, 200);
    assert.equal((await callApi(on, withPassword, 'GET', gamePath)).body.error?.code, 4035);
    for (const [{ key: token }, expected] of [
      [key, 0],
      [passwordKey, 4035],
    ] as const) {
      const agent = await connect(on, token);
      assert.equal(codeOf(await agent.call('list_game_builds', { uid: game.uid })), expected);
      await agent.close();
    }
    const tokenCode = async (headers: object) => (await callApi(on, headers, 'GET', gamePath)).body.error?.code ?? 0;
    const token = bearer(await createToken(on, owner));
    assert.equal(await tokenCode(token), 0);
    assert.equal(await tokenCode(bearer(await createToken(on, withPassword))), 4035);
    // It no longer counts once the account is not connected to the single sign-on any more.
    await changed(
      on.ctx.db,
      sql`delete from user_credentials where user_id = ${game.owner.id} and provider_id <> 'credential'`,
    );
    assert.equal(await tokenCode(token), 4035);
  });
});

test('a sign-in with a code, a trusted browser or a backup code meets a required second factor', async () => {
  const setting = await openGuarded();
  await guard(setting);
  const { game, app } = setting;
  const path = `/games/${game.uid}`;
  const waiting = await enterPassword(server, game.owner);
  const verified = await postAuth(
    server,
    '/two-factor/verify-totp',
    { code: nextCode(app.secret), trustDevice: true },
    { cookie: waiting },
  );
  assert.equal(verified.status, 200, await verified.clone().text());
  assert.equal((await call({ cookie: cookieOf(verified) }, 'GET', path)).status, 200);
  const trusted = await postAuth(server, '/sign-in/email', game.owner, { cookie: cookieOf(verified) });
  assert.equal((await call({ cookie: cookieOf(trusted) }, 'GET', path)).status, 200);
  const backup = await postAuth(
    server,
    '/two-factor/verify-backup-code',
    { code: app.backupCodes[0] },
    { cookie: await enterPassword(server, game.owner) },
  );
  assert.equal((await call({ cookie: cookieOf(backup) }, 'GET', path)).status, 200);
});
