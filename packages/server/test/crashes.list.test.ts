// The list of crash reports on a real server: its order, pages, filters, search and access.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { rememberFunctions } from '../src/crash/crashes/process/prepare-grouping.ts';
import { utcDayOf } from '../src/kernel/clock.ts';
import { rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './setup/crash-reports.ts';
import { type ApiResponse, makePlayer, startServer, type TestServer } from './setup/server.ts';

let server: TestServer;
let stranger: Person;
before(async () => {
  server = await startServer({ role: 'api' });
  stranger = await makePlayer(server);
});
after(() => server.stop());

type Query = Record<string, string>;

function ask(game: SharedGame, query: Query = {}, person: Person | null = game.owner): Promise<ApiResponse> {
  return callAs(server, person, `/games/${game.uid}/crashes?${new URLSearchParams(query)}`);
}

async function idsOf(game: SharedGame, query: Query = {}): Promise<string[]> {
  const response = await ask(game, query);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data.crashes.map(({ crash_id }: { crash_id: string }) => crash_id);
}

/** Ids in the order of the list. */
function newestFirst(ids: readonly string[]): string[] {
  return ids.toSorted().toReversed();
}

describe('the list of crash reports', () => {
  test('is visible to owner and admins only', async () => {
    const game = await makeSharedGame(server);
    const other = await makeSharedGame(server);
    const buildId = await addBuild(server, game, { version: '2.1' });
    const id = await addReport(server.ctx, {
      game,
      buildId,
      message: 'it broke',
      user_message: 'I opened /home/ann/save.dat',
      stack: ['render::measure', 'main'],
    });
    for (const person of [game.owner, game.admin]) {
      const { status, body } = await ask(game, {}, person);
      assert.equal(status, 200);
      const [crash] = body.data.crashes;
      const { group_id, received_at, ...rest } = crash;
      assert.match(group_id, /^[0-9a-f-]{36}$/);
      assert.ok(!Number.isNaN(Date.parse(received_at)));
      assert.deepEqual(rest, {
        crash_id: id,
        kind: 'crash',
        build_id: buildId,
        version: '2.1',
        state: 'processed',
        title: 'render::measure',
        reason: 'SIGSEGV / SEGV_MAPERR',
        os: 'linux',
        arch: 'x86_64',
        device_uid: null,
        user_message: 'I opened /home/<user>/save.dat',
      });
    }
    assert.deepEqual(statusOf(await ask(game, {}, null)), [401, 4011]);
    for (const person of [stranger, other.owner, other.admin]) {
      assert.deepEqual(statusOf(await ask(game, {}, person)), [404, 4040]);
    }
    assert.deepEqual(await idsOf(other), []);
  });

  test('has pages that stay correct while reports are added and deleted', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    const add = () => addReport(server.ctx, { game, buildId, message: 'no disk' });
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.push(await add());
    const expected = newestFirst(ids);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await ask(game, { limit: '3', ...(cursor !== undefined && { cursor }) });
      seen.push(...body.data.crashes.map(({ crash_id }: { crash_id: string }) => crash_id));
      cursor = body.data.next_cursor ?? undefined;
      await add();
      // The last report of a page may be deleted before the next page is requested.
      await callAs(server, game.owner, `/games/${game.uid}/crashes/${seen.at(-1)}`, { method: 'DELETE' });
    } while (cursor !== undefined);
    assert.deepEqual(seen, expected);
  });

  test('has no cursor on the last page', async () => {
    const game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    for (let count = 0; count < 2; count += 1) await addReport(server.ctx, { game, buildId });
    assert.equal((await ask(game, { limit: '2' })).body.data.next_cursor, null);
    assert.notEqual((await ask(game, { limit: '1' })).body.data.next_cursor, null);
  });

  test('refuses a cursor of another game or other filters, or an invalid one, with 4002', async () => {
    const [game, other] = [await makeSharedGame(server), await makeSharedGame(server)];
    const buildId = await addBuild(server, game);
    for (let count = 0; count < 2; count += 1) await addReport(server.ctx, { game, buildId });
    const cursor: string = (await ask(game, { limit: '1' })).body.data.next_cursor;
    assert.equal((await ask(game, { cursor })).status, 200);
    const refused = [
      await ask(other, { cursor }),
      await ask(game, { cursor, os: 'linux' }),
      await ask(game, { cursor: 'x' }),
    ];
    for (const response of refused) {
      assert.deepEqual(statusOf(response), [400, 4002]);
      assert.match(response.body.error?.message ?? '', /^cursor: /);
    }
  });

  test('filters by build, group and OS, also combined', async () => {
    const game = await makeSharedGame(server);
    const [old, latest] = [
      await addBuild(server, game),
      await addBuild(server, game, { version: '2.0', os: 'windows' }),
    ];
    const a = await addReport(server.ctx, { game, buildId: old, stack: ['a'] });
    const b = await addReport(server.ctx, { game, buildId: latest, stack: ['a'] });
    const c = await addReport(server.ctx, { game, buildId: latest, stack: ['c'] });
    const { crashes } = (await ask(game)).body.data;
    const groupOf = (id: string) => crashes.find(({ crash_id }: { crash_id: string }) => crash_id === id).group_id;
    assert.deepEqual(await idsOf(game, { build_id: latest }), newestFirst([b, c]));
    assert.deepEqual(await idsOf(game, { group_id: groupOf(a) }), newestFirst([a, b]));
    assert.deepEqual(await idsOf(game, { os: 'win64' }), newestFirst([b, c]));
    assert.deepEqual(await idsOf(game, { group_id: groupOf(a), build_id: latest }), [b]);
    assert.deepEqual(await idsOf(game, { group_id: groupOf(c), os: 'linux' }), []);
    assert.deepEqual(await idsOf(game, { build_id: newId() }), []);
  });

  test('refuses invalid filters with 4002 and names them', async () => {
    const game = await makeSharedGame(server);
    for (const query of [
      { os: 'amiga' },
      { build_id: '1.0' },
      { limit: '101' },
      { text: '' },
      { frame: 'x'.repeat(501) },
      { text: '\0' },
    ]) {
      const response = await ask(game, query as unknown as Query);
      assert.deepEqual(statusOf(response), [400, 4002], JSON.stringify(query));
      assert.match(response.body.error?.message ?? '', new RegExp(`^${Object.keys(query)[0]}`));
    }
  });
});

describe('the search by words', () => {
  let game: SharedGame;
  const ids: Record<string, string> = {};
  before(async () => {
    game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    ids.stack = await addReport(server.ctx, {
      game,
      buildId,
      stack: ['render::Layout::measure'],
      message: 'The layout broke',
    });
    ids.message = await addReport(server.ctx, { game, buildId, message: "Can't open shader_cache.bin: no such file" });
    ids.player = await addReport(server.ctx, {
      game,
      buildId,
      message: 'x',
      user_message: 'Nach dem «Größenwechsel» — 東京 — war Schluss',
    });
    ids.long = await addReport(server.ctx, { game, buildId, user_message: `${'w'.repeat(3000)} end` });
  });

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['layout', ['stack']],
    ['LAYOUT measure', ['stack']],
    ['render::Lay', ['stack']],
    ['shader', ['message']],
    ['shader_cache.bin', ['message']],
    ['file open', ['message']],
    ['größen', ['player']],
    ['東京', ['player']],
    ['“schluss”', ['player']],
    ['end', ['long']],
    ['layout shader', []],
    ['ayout', []],
    ["' | 'x", ['player']],
    ['& ! ( ) : * \\', []],
  ];
  for (const [text, names] of cases) {
    test(`finds ${names.join(', ') || 'nothing'} by ${text.slice(0, 40)}`, async () => {
      assert.deepEqual(await idsOf(game, { text }), newestFirst(names.map((name) => ids[name]!)));
    });
  }
});

describe('a search in a game with thousands of reports', () => {
  const MINUTE = 60_000;
  const start = Date.now();
  const at = (age: number) => ({ ...server.ctx, clock: { now: () => new Date(start - age) } });
  let game: SharedGame;
  const wanted: string[] = [];
  before(async () => {
    game = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    // The newest report, one just after the scanned ones, one long after, and one of a much earlier month.
    for (const age of [0, 60 * MINUTE, 600 * MINUTE, 100_000 * MINUTE]) {
      const report = { game, buildId, stack: ['rare::thing', 'main'], user_message: 'some needle' };
      wanted.push(await addReport(at(age), report));
    }
    await rememberFunctions(server.ctx.db, game.uid, ['common'], utcDayOf(new Date()));
    await rows(
      server.ctx.db,
      sql`insert into crash_reports (game_id, report_id, build_id, received_at, source, state, app_name, app_version, engine_version, os,
          arch, message, user_message, anonymous, metadata, functions, words)
        select ${game.uid}, (lpad(to_hex(${start}::bigint - no * 1000), 12, '0') || '70008' || lpad(no::text, 15, '0'))::uuid, ${buildId},
          now(), 'api', 'processed', '', '', '', 'linux', 'x86_64', 'some hay', '', false, '{}', array['common', 'main'], crash_words('some hay')
        from generate_series(1, 3000) no`,
    );
  });

  for (const query of [
    { text: 'needle' },
    { text: 'some need' },
    { text: "Some | 'NEEDLE':* \\ ‘needl" },
    { frame: 'rare::' },
    { frame: 'RARE', text: 'need', os: 'linux' },
    { query: 'reason:SIGSEGV*' },
    { query: '-is:resolved reason:SIGSEGV* arch:x86*' },
    { query: 'message:needle -os:windows reason:SIGSEGV*' },
  ] as Query[]) {
    test(`finds rare reports of any age by ${JSON.stringify(query)}`, async () => {
      assert.deepEqual(await idsOf(game, query), wanted);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { data } = (await ask(game, { ...query, limit: '1', ...(cursor !== undefined && { cursor }) })).body;
        seen.push(...data.crashes.map(({ crash_id }: { crash_id: string }) => crash_id));
        cursor = data.next_cursor ?? undefined;
      } while (cursor !== undefined);
      assert.deepEqual(seen, wanted);
    });
  }

  test('finds nothing by a rare word with another that its reports do not have', async () => {
    assert.deepEqual(await idsOf(game, { text: 'needle hay' }), []);
  });

  test('finds a page of many matches', async () => {
    for (const query of [{ text: 'hay' }, { frame: 'commo' }]) {
      const ids = await idsOf(game, { ...query, limit: '100' });
      assert.equal(ids.length, 100);
      assert.deepEqual(ids, newestFirst(ids));
      assert.ok(wanted.every((id) => !ids.includes(id)));
    }
    assert.equal((await idsOf(game, { frame: 'main', limit: '1' }))[0], wanted[0]);
  });
});

describe('the search by function', () => {
  let game: SharedGame;
  const ids: Record<string, string> = {};
  before(async () => {
    game = await makeSharedGame(server);
    const other = await makeSharedGame(server);
    const buildId = await addBuild(server, game);
    ids.draw = await addReport(server.ctx, { game, buildId, stack: ['abort', 'render::Layout::measure(int)', 'main'] });
    ids.load = await addReport(server.ctx, { game, buildId, stack: ['abort', 'assets::load<100%_done>', 'main'] });
    const theirs = await addBuild(server, other);
    await addReport(server.ctx, { game: other, buildId: theirs, stack: ['abort', 'secret_of_others'] });
  });

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['main', ['draw', 'load']],
    ['render::Layout::measure(int)', ['draw']],
    ['layout::MEAS', ['draw']],
    ['ayout', ['draw']],
    ['100%_done', ['load']],
    ['100%done', []],
    ['%', ['load']],
    ['secret_of_others', []],
    ['nowhere', []],
  ];
  for (const [frame, names] of cases) {
    test(`finds ${names.join(', ') || 'nothing'} by ${frame}`, async () => {
      assert.deepEqual(await idsOf(game, { frame }), newestFirst(names.map((name) => ids[name]!)));
    });
  }

  test('can be combined with filters', async () => {
    assert.deepEqual(
      await idsOf(game, { frame: 'main', text: 'abort', os: 'linux' }),
      newestFirst([ids.draw!, ids.load!]),
    );
    assert.deepEqual(await idsOf(game, { frame: 'main', text: 'shader' }), []);
  });

  test('has pages', async () => {
    const first = await ask(game, { frame: 'main', text: 'abort', limit: '1' });
    const second = await ask(game, { frame: 'main', text: 'abort', limit: '1', cursor: first.body.data.next_cursor });
    const [a, b] = [first, second].map(({ body }) => body.data.crashes[0].crash_id);
    assert.deepEqual([a, b], newestFirst([ids.draw!, ids.load!]));
    assert.equal(second.body.data.next_cursor, null);
  });

  test('finds a part of thousands of names', async () => {
    const crowd = await makeSharedGame(server);
    const buildId = await addBuild(server, crowd);
    const names = Array.from({ length: 200 }, (_, index) => index);
    const all: string[] = [];
    for (let part = 0; part < 11; part += 1) {
      const stack = names.map((index) => `ui::Widget${part}::method${index}`);
      all.push(await addReport(server.ctx, { game: crowd, buildId, stack }));
    }
    assert.deepEqual(await idsOf(crowd, { frame: '::METHOD' }), newestFirst(all));
    assert.deepEqual(await idsOf(crowd, { frame: 'Widget3::' }), [all[3]]);
  });
});
