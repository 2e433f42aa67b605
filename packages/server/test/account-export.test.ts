// The export of an account on the real server: it has everything that the schema holds about a person, and nothing of
// others or secret.
// cspell:ignore conkey
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { HOUR } from '../src/kernel/clock.ts';
import { changed, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { SECTIONS } from '../src/operate/account-export/sections.ts';
import { signUp } from './setup/accounts.ts';
import { type AgentGame, makeAgentGame } from './setup/agent-game.ts';
import { makeKey } from './setup/agents.ts';
import { callApi, statusOf } from './setup/api-calls.ts';
import { connectProgram } from './setup/oauth.ts';
import { makePlayer, startServer, type TestServer } from './setup/server.ts';

/** Columns that look as if they belonged to an account, and why no export has them. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'account_writes.user_id': 'counts writes, so that the person reads their own changes from a replica',
  'alert_marks.subject': 'what an alert is about, such as a build',
  'alerts.subject': 'what an alert is about, such as a build',
  'crash_reports.held_by': 'the number of a process',
  'crash_groups.resolved_by': 'a name in the history of the game; the entry in the activity is exported',
  'deleted_builds.deleted_by': 'a name in the history of the game; the entry in the audit log is exported',
  'deploy_keys.issued_by': 'a name in the history of the game; the entry in the audit log is exported',
  'dsns.created_by': 'a name in the settings of the game; the entry in the audit log is exported',
  'rollouts.started_by': 'a name in the history of the game; the entry in the audit log is exported',
  'channel_moves.moved_by': 'a name in the history of the game; the entry in the audit log is exported',
  'upload_tokens.created_by': 'a name in the history of the game; the entry in the audit log is exported',
  'alert_destinations.created_by': 'a name in the settings of the game; the entry in the audit log is exported',
  'crash_searches.created_by': 'a name in the settings of the game; the entry in the audit log is exported',
  'grouping_rules.changed_by': 'a name in the settings of the game; the entry in the audit log is exported',
  'event_file_games.changed_by': 'a name in the settings of the game; the entry in the audit log is exported',
  'game_quota_changes.changed_by': 'a name in the history of the game; the entry in the audit log is exported',
  'hidden_games.hidden_by': 'a name of an operator; the entry in the audit log is exported',
  'listing_drafts.saved_by': 'a name in the settings of the game; the entry in the audit log is exported',
  'mail_blocks.recipient': 'a hash of an address',
  'mail_counts.subject': 'hashes of addresses, and counts of mails within two days',
  'minute_counts.subject': 'counts of requests within two minutes',
  'oauth_resources.identifier': 'the address of this service',
  'rate_counters.subject': 'counts of uses within two days',
  'user_rate_limits.key': 'counts of sign-ins within a minute',
  'user_verifications.identifier': 'links of mails and codes, which are secrets and expire',
  'user_verifications.value': 'links of mails and codes, which are secrets and expire',
};
/** Names of columns for accounts, besides the references to them. */
const LOOKS_LIKE_ACCOUNT =
  /(^|_)(user|owner|person|actor|asker|inviter|assignee|member|author|reporter|recipient|subject|identifier)(_id)?$|email|^address$|_by$|^personal_of$/;

let server: TestServer;
let studio: AgentGame;
const time = { offset: 0 };
before(async () => {
  server = await startServer({ clock: { now: () => new Date(Date.now() + time.offset) } });
  studio = await makeAgentGame(server);
});
after(() => server.stop());

type Document = { readonly text: string; readonly data: Record<string, Record<string, unknown>[]> };

async function exportOf(headers: object): Promise<Document> {
  const response = await fetch(`${server.api}/account/export`, { method: 'POST', headers: { ...headers } });
  assert.equal(response.status, 200, await response.clone().text());
  assert.match(
    response.headers.get('content-disposition') ?? '',
    /^attachment; filename="chauffeur-account-.*\.json"$/,
  );
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  const text = await response.text();
  return { text, data: JSON.parse(text) };
}

const post = (headers: object, path: string, body?: unknown) => callApi(server, headers, 'POST', path, body ?? {});

describe('the sections', () => {
  type Column = { table: string; column: string; is_reference: boolean };

  async function listColumns(): Promise<Column[]> {
    return rows(
      server.ctx.db,
      sql<Column>`select c.table_name as table, c.column_name as column, exists (
          select from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
          where k.contype = 'f' and k.confrelid = 'users'::regclass and a.attname = c.column_name
            and k.conrelid = to_regclass(quote_ident(c.table_name))) as is_reference
        from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
          and not (select relispartition from pg_class where oid = to_regclass(quote_ident(c.table_name)))`,
    );
  }

  test('cover every column of the schema that belongs to an account, or an exception says why not', async () => {
    const columns = await listColumns();
    const covered = new Set(
      SECTIONS.flatMap(({ table, person, email, columns: shown }) =>
        [...person, ...(email === undefined ? [] : [email]), ...shown].map((column) => `${table}.${column}`),
      ),
    );
    const missing = columns
      .filter(({ column, is_reference }) => is_reference || LOOKS_LIKE_ACCOUNT.test(column))
      .map(({ table, column }) => `${table}.${column}`)
      .filter((name) => !covered.has(name) && EXCEPTIONS[name] === undefined);
    assert.deepEqual(missing, [], 'add them to operate/account-export/sections.ts');
  });

  test('and exceptions are columns of the schema', async () => {
    const existing = new Set((await listColumns()).map(({ table, column }) => `${table}.${column}`));
    const named = SECTIONS.flatMap(({ table, key: [key], person, columns }) =>
      [key, ...person, ...columns].map((column) => `${table}.${column}`),
    );
    assert.deepEqual(
      [...named, ...Object.keys(EXCEPTIONS)].filter((name) => !existing.has(name)),
      [],
    );
  });

  test('show no secrets', () => {
    const shown = SECTIONS.flatMap(({ columns }) => columns);
    assert.deepEqual(
      shown.filter((column) =>
        /token(?!_(id|ref)$)|hash|secret|password|public_key|credential|codes|cookie/.test(column),
      ),
      [],
    );
  });

  test('cover every table in which a busy account leaves its id', async () => {
    const { game, owner } = studio;
    await makeKey(server, owner);
    await connectProgram(server, owner.cookie);
    await post(owner, `/games/${game.uid}/crash-groups/${studio.groupId}/activity`, { comment: 'Look at this' });
    await post(owner, `/games/${game.uid}/bugs/${studio.bugUid}/replies`, { message: 'Fixed soon' });
    await post(owner, `/games/${game.uid}/invitations`, { email: 'friend@example.com' });
    const tables = [...new Set((await listColumns()).map(({ table }) => table))];
    const found: string[] = [];
    for (const table of tables) {
      const { rows: hits } = await server.ctx.pool.query(
        `select from "${table}" t where cast(row_to_json(t) as text) like $1 limit 1`,
        [`%${game.owner.id}%`],
      );
      if (hits.length > 0) found.push(table);
    }
    const known = new Set([
      ...SECTIONS.map(({ table }) => table),
      ...Object.keys(EXCEPTIONS).map((name) => name.split('.')[0]),
    ]);
    assert.ok(found.length > 10, found.join());
    assert.deepEqual(
      found.filter((table) => !known.has(table)),
      [],
    );
  });
});

describe('an export', () => {
  test('has what the person has, wrote and did', async () => {
    const { game, owner } = studio;
    await makeKey(server, owner, { name: 'Night owl' });
    const player = await makePlayer(server);
    await post(player.headers, `/games/${game.uid}/bugs`, { message: 'The lamp is dark' });
    await callApi(server, player.headers, 'PUT', `/games/${game.uid}/follow`, {});
    await post(owner, `/games/${game.uid}/invitations`, { email: player.email });

    const own = await exportOf(owner);
    assert.equal(own.data.service as unknown, server.url);
    assert.deepEqual(
      own.data.account?.map(({ email, name }) => [email, name]),
      [[game.owner.email, 'Owner']],
    );
    assert.ok(own.data.personal_keys?.some(({ name }) => name === 'Night owl'));
    assert.deepEqual(
      own.data.games_owned?.map(({ slug }) => slug),
      [game.slug],
    );
    assert.equal(own.data.organisations?.[0]?.role, 'owner');
    assert.ok(own.data.game_invitations?.some(({ email }) => email === player.email));
    assert.ok(own.data.audit_log?.some(({ operation }) => operation === 'agents.createKey'));
    assert.ok(own.data.sessions!.length > 0);

    const theirs = await exportOf(player.headers);
    assert.deepEqual(
      theirs.data.bug_tickets?.map(({ message }) => message),
      ['The lamp is dark'],
    );
    assert.deepEqual(
      theirs.data.follows?.map(({ game: name }) => name),
      [own.data.games_owned?.[0]?.name],
    );
    assert.deepEqual(
      theirs.data.game_invitations?.map(({ email }) => email),
      [player.email],
    );
    assert.deepEqual(theirs.data.games_owned, []);
    assert.doesNotMatch(theirs.text, new RegExp(`${game.owner.email}|${game.owner.id}`));
  });

  test('has no token, key or password, not even as a hash', async () => {
    const { key } = await makeKey(server, studio.owner);
    const { access_token, refresh_token } = await connectProgram(server, studio.owner.cookie);
    const { text } = await exportOf(studio.owner);
    const [, session = ''] = /session_token=([^;.%]+)/.exec(studio.owner.cookie) ?? [];
    const hashes = await rows(
      server.ctx.db,
      sql<{ value: string }>`select password as value from user_credentials where password is not null
        union all select token from user_sessions union all select encode(token_hash, 'hex') from agent_keys
        union all select token from oauth_refresh_tokens`,
    );
    for (const secret of [key, access_token, refresh_token, session, ...hashes.map(({ value }) => value)])
      assert.equal(text.includes(secret), false, secret);
  });

  test('has any number of rows, each once and in order', async () => {
    const player = await makePlayer(server);
    const ids = Array.from({ length: 1203 }, () => newId());
    await changed(
      server.ctx.db,
      sql`insert into agent_calls (call_id, user_id, agent_kind, agent_id, agent_name, tool, outcome, milliseconds)
        select cast(id as uuid), ${player.id}, 'key', ${newId()}, 'owl', 'list_games', 0, 1
        from unnest(cast(${ids} as text[])) id`,
    );
    const { data } = await exportOf(player.headers);
    assert.deepEqual(
      data.agent_calls?.map(({ call_id }) => call_id),
      ids.toSorted(),
    );
  });

  test('has nothing by an address that the person has not confirmed', async () => {
    const { game } = studio;
    const stranger = await signUp(server);
    const guest = { message: 'Written without an account', name: 'Robin', email: stranger.email };
    assert.equal((await post({}, `/public/games/${game.slug}/bugs`, guest)).status, 201);
    const { data } = await exportOf({ cookie: stranger.cookie });
    assert.deepEqual([data.bug_tickets, data.bug_ticket_mails], [[], []]);
    await changed(server.ctx.db, sql`update users set email_verified = true where email = ${stranger.email}`);
    const confirmed = await exportOf({ cookie: stranger.cookie });
    assert.deepEqual(
      confirmed.data.bug_tickets?.map(({ message }) => message),
      [guest.message],
    );
    assert.deepEqual(
      confirmed.data.bug_ticket_mails?.map(({ address }) => address),
      [stranger.email],
    );
  });

  test('needs a sign-in within the last hour', async (t) => {
    t.after(() => {
      time.offset = 0;
    });
    const player = await makePlayer(server);
    time.offset = HOUR;
    assert.deepEqual(statusOf(await post(player.headers, '/account/export')), [403, 4014]);
    assert.deepEqual(statusOf(await post({}, '/account/export')), [401, 4011]);
  });

  test('is limited to five an hour, and recorded in the audit log', async (t) => {
    t.after(() => {
      time.offset = 0;
    });
    const player = await makePlayer(server);
    for (let count = 0; count < 5; count += 1) await exportOf(player.headers);
    const refused = await post(player.headers, '/account/export');
    assert.deepEqual(statusOf(refused), [429, 4290]);
    const entries = await rows(
      server.ctx.db,
      sql<{ outcome: number }>`select outcome from audit_entries
        where operation = 'accounts.export' and actor_id = ${player.id} and outcome = 0`,
    );
    assert.equal(entries.length, 5);
    // A page of another site can't start one.
    const foreign = await post({ ...player.headers, origin: 'https://evil.example' }, '/account/export');
    assert.deepEqual(statusOf(foreign), [403, 4032]);
  });
});

test('deleting an account takes the name off its bug tickets', async () => {
  const player = await makePlayer(server);
  const { body } = await post(player.headers, `/games/${studio.game.uid}/bugs`, { message: 'The bell is silent' });
  const response = await fetch(`${server.url}/api/auth/delete-user`, {
    method: 'POST',
    headers: { ...player.headers, 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify({ password: 'correct horse battery' }),
  });
  assert.equal(response.status, 200);
  const ticket = await callApi(server, studio.owner, 'GET', `/games/${studio.game.uid}/bugs/${body.data.bug_uid}`);
  assert.deepEqual([ticket.body.data.message, ticket.body.data.filed_by], ['The bell is silent', '']);
});
