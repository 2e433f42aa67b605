// The operator's commands for accounts, games and tokens, as processes on the database of a running server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { rows } from '../src/kernel/database/db.ts';
import { setUserDisabled, setUserOperator } from '../src/people/accounts/accounts.ts';
import { isSignedIn, newAccount, postAuth, trySignIn } from './setup/accounts.ts';
import { makeKey } from './setup/agents.ts';
import { callApi } from './setup/api-calls.ts';
import { signInCommand, useLogin } from './setup/cli-logins.ts';
import { createAccount } from './setup/create-account.ts';
import { mailTo } from './setup/mail.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

const run = (args: string[], input?: string) =>
  runServerCommand(environmentOf(server), ['admin', ...args, '--json'], input);
async function runJson(args: string[], input?: string) {
  const { code, stdout, stderr } = await run(args, input);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}
async function refuse(args: string[], message: RegExp, input?: string): Promise<void> {
  const { code, stdout, stderr } = await run(args, input);
  assert.deepEqual([code, stdout], [1, ''], args.join(' '));
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
}

async function open(more: { verified?: boolean } = {}) {
  const account = newAccount();
  const { id } = await createAccount(server, { ...account, name: 'Ada', verified: true, ...more });
  return { ...account, id };
}

const entriesOf = (operation: string) =>
  rows(
    server.ctx.db,
    sql<{
      actor_kind: string;
      text: string;
      game_id: string | null;
    }>`select actor_kind, about_game as game_id, changes::text as text
      from audit_entries where operation = ${operation} order by entry_id`,
  );

test('accounts are listed by pages, and filtered', async () => {
  const [first, second] = [await open(), await open()];
  await setUserDisabled(server.ctx, first.email, true);
  const page = await runJson(['user', 'list', '--limit', '1']);
  assert.deepEqual(
    page.users.map(({ email }: { email: string }) => email),
    [second.email],
  );
  const next = await runJson(['user', 'list', '--limit', '1', '--cursor', page.next_cursor]);
  assert.equal(next.users[0].email, first.email);
  assert.deepEqual((await runJson(['user', 'list', '--search', second.email.toUpperCase()])).users.length, 1);
  const disabled = await runJson(['user', 'list', '--disabled', '--search', first.email]);
  assert.ok(disabled.users[0].disabled_at);
  assert.equal((await runJson(['user', 'list', '--disabled', '--search', second.email])).users.length, 0);
  const { stdout } = await runServerCommand(environmentOf(server), ['admin', 'user', 'list', '--limit', '1']);
  assert.match(stdout, /^\S+@\S+ {2}Ada {2}verified games=0 sessions=0 {2}\d{4}-\d\d-\d\d\nMore with --cursor \S+\n$/);
  for (const limit of ['0', '-1', '1001', 'x', '1.5']) await refuse(['user', 'list', '--limit', limit], /--limit: use/);
  await refuse(['user', 'list', '--cursor', 'nonsense'], /cursor/);
});

test('a new password ends everything that worked with the old one, and is recorded', async () => {
  const account = await open();
  const headers = await signIn(server, account);
  const key = await makeKey(server, headers);
  const login = await signInCommand(server, headers);
  const password = 'a new battery horse';
  const changed = await runJson(
    ['user', 'password', '--email', account.email, '--password-stdin'],
    `${password}\nrest`,
  );
  assert.deepEqual([changed.sessions, changed.personal_keys, changed.cli_logins], [1, 1, 1]);
  assert.ok(!(await isSignedIn(server, headers.cookie)));
  assert.notEqual((await trySignIn(server, account)).status, 200);
  assert.equal((await trySignIn(server, { ...account, password })).status, 200);
  assert.notEqual((await useLogin(server, login.key)).status, 200);
  assert.ok(key.key);
  await mailTo(server, account.email, /password was changed/i);
  const [entry] = await entriesOf('admin.userPassword');
  assert.equal(entry?.actor_kind, 'server');
  assert.ok(entry.text.includes(account.id) && !entry.text.includes(password));
  const args = ['user', 'password', '--email', account.email];
  await refuse([...args, '--password-stdin'], /shorter than/, 'short\n');
  await refuse([...args, '--password-stdin'], /longer than/, `${'x'.repeat(5000)}\n`);
  await refuse(args, /either --password-stdin or --link/);
  await refuse(['user', 'password', '--email', 'no@example.com', '--password-stdin'], /no account/, `${password}\n`);
});

test('a link lets the person set the password, once', async () => {
  const account = await open();
  const { link, expires_at } = await runJson(['user', 'password', '--email', account.email, '--link']);
  assert.equal(new URL(link).pathname, '/reset');
  assert.ok(Date.parse(expires_at) > Date.now());
  assert.equal((await trySignIn(server, account)).status, 200, 'nothing has changed yet');
  const reset = () =>
    postAuth(server, '/reset-password', {
      token: new URL(link).searchParams.get('token'),
      newPassword: 'set by the link',
    });
  assert.equal((await reset()).status, 200);
  assert.notEqual((await reset()).status, 200);
  assert.equal((await trySignIn(server, { ...account, password: 'set by the link' })).status, 200);
  const [entry] = await entriesOf('admin.userPasswordLink');
  assert.ok(!entry!.text.includes(new URL(link).searchParams.get('token')!));
});

test('an account is deleted after a confirmation, unless games would have no owner', async () => {
  const account = await open();
  await refuse(['user', 'delete', '--email', account.email], /permanently.*--yes/);
  assert.equal((await trySignIn(server, account)).status, 200);
  assert.equal((await runJson(['user', 'delete', '--email', account.email, '--yes'])).deleted, true);
  assert.notEqual((await trySignIn(server, account)).status, 200);
  assert.equal((await entriesOf('admin.userDelete')).length, 1);
  await refuse(['user', 'delete', '--email', account.email, '--yes'], /no account/);

  const game = await makeGame(server);
  await refuse(
    ['user', 'delete', '--email', game.owner.email, '--yes'],
    new RegExp(`no one else owns: ${game.slug}\\.`),
  );
  const heir = await open();
  await runJson(['game', 'transfer', '--game', game.slug, '--to', heir.email]);
  assert.equal((await runJson(['user', 'delete', '--email', game.owner.email, '--yes'])).deleted, true);

  const operator = await open();
  await setUserOperator(server.ctx, operator.email, true);
  await refuse(['user', 'delete', '--email', operator.email, '--yes'], /last active operator/);
  await setUserOperator(server.ctx, operator.email, false);
});

test('games are listed by pages, and filtered', async () => {
  const [first, second] = [await makeGame(server), await makeGame(server)];
  const page = await runJson(['game', 'list', '--limit', '1']);
  assert.equal(page.games[0].game_uid, second.uid);
  const next = await runJson(['game', 'list', '--limit', '1', '--cursor', page.next_cursor]);
  assert.equal(next.games[0].game_uid, first.uid);
  const owned = await runJson(['game', 'list', '--owner', first.owner.email]);
  assert.deepEqual(
    owned.games.map((game: { slug: string; owner: string }) => [game.slug, game.owner]),
    [[first.slug, first.owner.email]],
  );
  assert.equal((await runJson(['game', 'list', '--search', second.slug])).games.length, 1);
  await refuse(['game', 'list', '--owner', 'no@example.com'], /no account/);
  await refuse(['game', 'list', '--cursor', "x' or 1=1"], /--cursor/);
});

test('a game is given to another account, even if its owner is disabled, and its keys stop working', async () => {
  const game = await makeGame(server);
  const heir = await open();
  await setUserDisabled(server.ctx, game.owner.email, true);
  const given = await runJson(['game', 'transfer', '--game', game.uid, '--to', heir.email]);
  assert.deepEqual([given.game_uid, given.owner], [game.uid, heir.email]);
  assert.equal((await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).body.error?.code, 4023);
  const headers = await signIn(server, heir);
  const { body } = await callApi(server, headers, 'POST', `/games/${game.uid}/deploy-keys`, {});
  assert.ok(body.data?.access_token, JSON.stringify(body));
  const [entry] = (await entriesOf('admin.gameTransfer')).filter(({ game_id }) => game_id === game.uid);
  assert.equal(entry?.actor_kind, 'server');
  await refuse(['game', 'transfer', '--game', game.uid, '--to', heir.email], /owns the game already/);
});

test('a game is given to an organisation, whose first owner becomes responsible', async () => {
  const game = await makeGame(server);
  const studio = await open();
  const headers = await signIn(server, studio);
  const { body } = await callApi(server, headers, 'POST', '/organisations', { name: 'Night owls' });
  const organisation = body.data.organisation_uid;
  const to = ['game', 'transfer', '--game', game.slug, '--organisation', organisation];
  assert.equal((await runJson(to)).organisation, 'Night owls');
  assert.equal((await callApi(server, headers, 'GET', `/games/${game.uid}`)).status, 200);
  assert.equal((await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).body.error?.code, 4023);
  await mailTo(server, game.owner.email, /was transferred/);
  await refuse(to, /owns the game already/);
});

test('a transfer to someone who cannot own a game is refused, and changes nothing', async () => {
  const game = await makeGame(server);
  const unverified = await open({ verified: false });
  const disabled = await open();
  await setUserDisabled(server.ctx, disabled.email, true);
  const to = (...args: string[]) => ['game', 'transfer', '--game', game.uid, ...args];
  await refuse(to('--to', unverified.email), /not verified/);
  await refuse(to('--to', disabled.email), /disabled/);
  await refuse(to('--to', 'no@example.com'), /no account/);
  await refuse(to('--organisation', 'no-such'), /no organisation/);
  await refuse(to(), /either --to/);
  await refuse(['game', 'transfer', '--game', 'no-such', '--to', disabled.email], /no game/);
  assert.equal((await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).status, 200);
});

test('keys and tokens of a game, and what works for an account, are revoked', async () => {
  const game = await makeGame(server);
  const headers = await signIn(server, game.owner);
  await makeKey(server, headers);
  const login = await signInCommand(server, headers);
  const ofGame = ['token', 'revoke', '--game', game.slug];
  assert.equal((await runJson([...ofGame, '--only', 'upload-tokens'])).deploy_keys, 0);
  assert.equal((await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).status, 200);
  const revoked = await runJson(ofGame);
  assert.deepEqual([revoked.deploy_keys, revoked.upload_tokens], [1, 0]);
  assert.equal((await request(`${server.api}/tool/info`, { headers: game.keyHeaders })).body.error?.code, 4023);

  const ofAccount = ['token', 'revoke', '--email', game.owner.email];
  const keys = await runJson([...ofAccount, '--only', 'personal-keys, logins']);
  assert.deepEqual([keys.sessions, keys.personal_keys, keys.logins], [0, 1, 1]);
  assert.notEqual((await useLogin(server, login.key)).status, 200);
  assert.ok(await isSignedIn(server, headers.cookie));
  assert.ok((await runJson(ofAccount)).sessions >= 1);
  assert.ok(!(await isSignedIn(server, headers.cookie)));
  assert.equal((await trySignIn(server, game.owner)).status, 200, 'the password still works');
  assert.equal((await entriesOf('admin.tokenRevoke')).length, 4);
  await refuse([...ofAccount, '--only', 'deploy-keys'], /--only: deploy-keys is not one of/);
  await refuse(['token', 'revoke'], /exactly one of --game, --email and --ref/);
  await refuse([...ofGame, '--email', game.owner.email], /exactly one of --game, --email and --ref/);
  const player = await makePlayer(server);
  assert.equal((await runJson(['token', 'revoke', '--email', player.email])).personal_keys, 0);
});

test('a single key or token that has leaked is revoked by how it begins', async () => {
  const game = await makeGame(server);
  const headers = await signIn(server, game.owner);
  const [leaked, kept] = [await makeKey(server, headers), await makeKey(server, headers)];
  const login = await signInCommand(server, headers);
  const revoke = (ref: string) => runJson(['token', 'revoke', '--ref', ref]);
  assert.deepEqual(await revoke(leaked.key_ref), {
    reference: leaked.key_ref,
    ...{ personal_keys: 1, api_tokens: 0, logins: 0, deploy_keys: 0 },
  });
  assert.equal((await revoke(login.key)).logins, 1, 'the whole key is accepted');
  assert.equal((await revoke(game.keyHeaders['x-access-token'].slice(0, 8))).deploy_keys, 1);
  await refuse(['token', 'revoke', '--ref', leaked.key_ref], /no active key or token begins with/);
  await refuse(['token', 'revoke', '--ref', 'chf_'], /too short/);
  await refuse(['token', 'revoke', '--ref', kept.key_ref, '--only', 'agents'], /cannot be used with --ref/);
  assert.equal((await revoke(kept.key_ref)).personal_keys, 1);
});
