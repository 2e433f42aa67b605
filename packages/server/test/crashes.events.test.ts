// Reports with events of Sentry's SDKs on a real server: their stacks, their groups, and what counts as a crash.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { normalizeEvent } from '@chauffeur/sentry/event/normalize';
import { sql } from 'kysely';
import { inPieces, REQUESTS_MISSING, readRequest, receive } from '../../sentry/test/requests.ts';
import { countNewGroups, weekOfCrashes } from '../src/crash/crashes/crashes.ts';
import { regroupReports } from '../src/crash/crashes/process/regroup.job.ts';
import { DAY, utcDayOf } from '../src/kernel/clock.ts';
import { onlyRow } from '../src/kernel/database/db.ts';
import {
  groupsOf,
  readDumpFixture,
  readSymbolFixture,
  reportCrash,
  reportRow,
  untilDone,
} from './setup/crash-dumps.ts';
import { reportEvent, type Sent } from './setup/sentry-events.ts';
import { makeGame, makeMember, makePlayer, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { addSymbols, untilCompiled } from './setup/symbols.ts';
import { until } from './setup/until.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' } });
});
after(() => server.stop());

async function openGame() {
  const game = await makeGame(server);
  const build = await register(server, game);
  const headers = await signIn(server, game.owner);
  const send = async (sent: object, more?: Sent) =>
    untilDone(server, await reportEvent(server, game, build, sent, more));
  const call = async (path: string, body?: object) =>
    (
      await request(`${server.api}/games/${game.uid}/${path}`, {
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      })
    ).body;
  return { game, build, send, call };
}

const stack = (...frames: object[]) => ({ frames: frames.reverse() });

/** A C# exception with its cause, innermost frames first. */
const MANAGED = {
  platform: 'csharp',
  level: 'fatal',
  exception: [
    {
      type: 'System.InvalidOperationException',
      value: 'cannot load level 7',
      stacktrace: stack({
        function: 'Load',
        module: 'Owls.Level',
        filename: 'Assets/Level.cs',
        lineno: 12,
        in_app: true,
      }),
      mechanism: { type: 'UnityLogException', handled: false, exception_id: 1, parent_id: 0, source: 'InnerException' },
    },
    {
      type: 'System.Exception',
      value: 'the game is over',
      stacktrace: stack({
        function: 'Start',
        module: 'Owls.Game',
        filename: 'Assets/Game.cs',
        lineno: 3,
        in_app: true,
      }),
      mechanism: { type: 'generic', handled: false, exception_id: 0 },
    },
  ],
};

/** The debug id of `null_deref_inline`, and an address in its `render::measure`. */
const IMAGE = {
  type: 'elf',
  code_file: '/home/ann/game/null_deref_inline',
  image_addr: '0x400000',
  image_size: 0x100000,
  debug_id: '8eb9ed96-b569-a6a0-4d6c-b5c57a4568b8',
};

function nativeEvent(offsets: readonly number[]) {
  return {
    platform: 'native',
    level: 'fatal',
    contexts: { os: { name: 'Linux', version: '6.1' } },
    exception: [
      {
        type: 'SIGSEGV',
        value: 'Segfault',
        mechanism: { type: 'signalhandler', handled: false, meta: { signal: { name: 'SIGSEGV', number: 11 } } },
        stacktrace: stack(
          ...offsets.map((offset) => ({
            instruction_addr: `0x${(0x400000 + offset).toString(16)}`,
            package: '/home/ann/game/null_deref_inline',
          })),
        ),
      },
    ],
    debug_meta: { images: [IMAGE] },
  };
}

/** The offsets of the frames of a dump in its program, from the server. */
async function programOffsets(reportId: string): Promise<number[]> {
  const { frames } = await reportRow(server, reportId);
  return (frames as unknown as { module: string; offset: string; inlined: boolean }[])
    .filter(({ module, inlined }) => module === 'null_deref_inline' && !inlined)
    .map(({ offset }) => Number(offset));
}

describe('a managed exception', () => {
  test('is grouped by its root cause, together with the same one in a text', async () => {
    const { game, build, send } = await openGame();
    const row = await send(MANAGED);
    assert.deepEqual(
      [row.state, row.signature, row.reason, row.functions],
      [
        'processed',
        'InvalidOperationException: cannot load level <n> | Owls.Level.Load',
        'InvalidOperationException',
        ['Owls.Level.Load', 'Owls.Game.Start'],
      ],
    );
    const text = `System.InvalidOperationException: cannot load level 9\n   at Owls.Level.Load() in /ci/Assets/Level.cs:line 8`;
    const other = await untilDone(server, await reportCrash(server, game, build, { message: text }));
    assert.equal(other.group_id, row.group_id);
  });

  test('keeps its group when it is grouped again', async () => {
    const { game, send } = await openGame();
    const row = await send({ ...MANAGED, fingerprint: ['level', '{{ default }}'] });
    const { game_id: gameId } = await onlyRow(
      server.ctx.db,
      sql<{ game_id: string }>`update crash_reports set grouping_version = 0, trace = null
        where report_id = ${row.report_id} returning game_id`,
    );
    await regroupReports(server.ctx, { gameId, before: null });
    const again = await reportRow(server, row.report_id);
    assert.deepEqual([again.group_id, again.functions], [row.group_id, row.functions]);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ count }) => count),
      [1],
    );
  });

  test('is grouped by its message once its blob is gone', async () => {
    const { game, build } = await openGame();
    const id = await reportEvent(server, game, build, { ...MANAGED, ...TOO_LARGE_FOR_ROW });
    await untilDone(server, id);
    const stored = await onlyRow(
      server.ctx.db,
      sql<{ event_key: string; game_id: string }>`update crash_reports set grouping_version = 0
        where report_id = ${id} returning event_key, game_id`,
    );
    await server.ctx.blobs.delete(stored.event_key);
    await regroupReports(server.ctx, { gameId: stored.game_id, before: null });
    const row = await reportRow(server, id);
    assert.ok((row.grouping_version ?? 0) > 0);
    assert.equal(row.frames, null);
  });
});

describe('a fingerprint', () => {
  test('decides about the group, alone or with the usual one', async () => {
    const { send } = await openGame();
    const [usual, levels, same, part, otherPart, both] = [
      await send(MANAGED),
      await send({ ...MANAGED, fingerprint: ['levels'] }),
      await send({ platform: 'csharp', message: 'something else', fingerprint: ['levels'] }),
      await send({ ...MANAGED, fingerprint: ['{{ default }}', 'cave'] }),
      await send({ ...MANAGED, fingerprint: ['{{ default }}', 'forest'] }),
      await send({ ...MANAGED, fingerprint: ['{{default}}'] }),
    ];
    assert.equal(levels!.group_id, same!.group_id);
    assert.equal(both!.group_id, usual!.group_id);
    assert.equal(new Set([usual, levels, part, otherPart].map((row) => row!.group_id)).size, 4);
    assert.equal(part!.signature, usual!.signature, 'the title says what happened');
  });

  test('of an event decides about a report with a dump, whose stack it has', async () => {
    const { send } = await openGame();
    const dump = readDumpFixture('null_deref_inline');
    const one = await send({ ...nativeEvent([0x1000]), fingerprint: ['levels'] }, { dump });
    const other = await send({ ...MANAGED, fingerprint: ['levels'] });
    assert.equal(one.group_id, other.group_id);
    assert.ok(one.stack_key !== null && one.frames.length > 1);
  });
});

describe('an error that the game handled', () => {
  test('is never in a group with crashes, and in no count of crashes', async () => {
    const { game, build, send, call } = await openGame();
    const crash = await send(MANAGED);
    const error = await send(MANAGED, { kind: 'error' });
    const again = await send(MANAGED, { kind: 'error' });
    assert.notEqual(crash.group_id, error.group_id);
    assert.equal(error.group_id, again.group_id);
    const chosen = [
      await send({ ...MANAGED, fingerprint: ['a'] }),
      await send({ ...MANAGED, fingerprint: ['a'] }, { kind: 'error' }),
    ];
    assert.notEqual(chosen[0]!.group_id, chosen[1]!.group_id);
    const totals = await onlyRow(
      server.ctx.db,
      sql<{ reports: number }>`select sum(reports)::integer as reports from crash_totals
        where scope_id = ${build}`,
    );
    assert.equal(totals.reports, 2);
    const merged = await call('crash-groups/merge', { group_ids: [crash.group_id, error.group_id] });
    assert.equal(merged.error?.code, 4002);
    assert.deepEqual((await groupsOf(server, game)).map(({ count }) => count).sort(), [1, 1, 1, 2]);
  });

  test('is counted by device and facet apart from crashes, and found by the same queries', async () => {
    const { build, send, call } = await openGame();
    const on = (gpu: string, version: string) => ({
      ...MANAGED,
      contexts: { gpu: { name: gpu }, os: { name: 'Linux', version } },
      fingerprint: [version],
    });
    await send(on('GeForce RTX 3060', '6.8'), { deviceUid: 'd1' });
    const error = await send(on('GeForce RTX 3060', '6.8'), { kind: 'error', deviceUid: 'd1' });
    await send(on('GeForce RTX 3060', '6.8'), { kind: 'error', deviceUid: 'd2' });
    const other = await send(on('Radeon RX 580', '6.9'), { kind: 'error', deviceUid: 'd2' });

    const impact = async (query: Record<string, string>) =>
      (await call(`crash-impact?${new URLSearchParams(query)}`)).data;
    const gpus = ({ facets }: { facets: { facet: string; values: Record<string, unknown>[] }[] }) =>
      facets
        .find(({ facet }) => facet === 'gpu')
        ?.values.map(({ value, reports, devices }) => [value, reports, devices]);
    const ofErrors = [
      ['GeForce RTX 3060', 2, 2],
      ['Radeon RX 580', 1, 1],
    ];
    for (const query of [
      {},
      { build_id: build },
      { query: 'version:1.0.0' },
      { query: 'os:linux' },
      { query: 'message:level' },
    ]) {
      const errors = await impact({ kind: 'error', ...query });
      assert.deepEqual([errors.reports, errors.devices], [3, 2], JSON.stringify(query));
      assert.deepEqual(gpus(errors), ofErrors, JSON.stringify(query));
      const crashes = await impact(query);
      assert.deepEqual([crashes.reports, crashes.devices], [1, 1], JSON.stringify(query));
      assert.deepEqual(gpus(crashes), [['GeForce RTX 3060', 1, 1]], JSON.stringify(query));
    }
    const radeon = { query: 'gpu:*radeon*' };
    assert.equal((await impact({ kind: 'error', ...radeon })).reports, 1);
    assert.equal((await impact(radeon)).reports, 0);
    const ofBuild = await impact({ kind: 'error', build_id: build });
    assert.deepEqual(
      ofBuild.groups.map(({ group_id, devices }: Record<string, unknown>) => [group_id, devices]),
      [
        [error.group_id, 2],
        [other.group_id, 1],
      ],
    );
    assert.equal((await impact({ build_id: build })).groups.length, 1);
    // A group has reports of one kind.
    assert.equal((await impact({ group_id: error.group_id! })).devices, 2);

    const idsOf = async (path: string, query: string) => {
      const { data } = await call(`${path}?${new URLSearchParams({ kind: 'error', query })}`);
      return (data.groups ?? data.crashes).map(({ group_id }: { group_id: string }) => group_id);
    };
    for (const query of ['gpu:*radeon*', 'is:open os_version:"Linux 6.9"', 'version:1.0.0 gpu:*radeon*']) {
      assert.deepEqual(await idsOf('crash-groups', query), [other.group_id], query);
      assert.deepEqual(await idsOf('crashes', query), [other.group_id], query);
    }
    assert.deepEqual(await idsOf('crashes', 'message:level device:d1'), [error.group_id]);
    assert.deepEqual(await idsOf('crash-groups', 'Owls.Level.Load device:d1'), [error.group_id]);
  });

  test('is left out of summaries, the overview and alerts about crashes', async () => {
    const { game, send } = await openGame();
    await send(MANAGED, { kind: 'error' });
    const gameId = game.uid;
    const now = Date.now();
    const [first = '', end = ''] = [-DAY, DAY].map((offset) => utcDayOf(new Date(now + offset)));
    assert.deepEqual(await weekOfCrashes(server.ctx, gameId, { first, end }), {
      reports: 0,
      new_groups: 0,
      fixed_groups: 0,
      top_groups: [],
    });
    assert.equal((await countNewGroups(server.ctx, [gameId])).get(gameId), undefined);
    const group = await onlyRow(
      server.ctx.db,
      sql<{ alert: string | null; report_kind: string }>`select alert, report_kind from crash_groups
        where game_id = ${gameId}`,
    );
    assert.deepEqual(group, { alert: 'new_error_group', report_kind: 'error' });
    await send(MANAGED);
    const { reports, new_groups, top_groups } = await weekOfCrashes(server.ctx, gameId, { first, end });
    assert.deepEqual([reports, new_groups, top_groups.length], [1, 1, 1]);
    assert.equal((await countNewGroups(server.ctx, [gameId])).get(gameId), 1);
  });
});

describe('a native stack without a dump', () => {
  test('is looked up again when symbols come, and then is in the group of dumps of the same crash', async () => {
    const { game, build, send } = await openGame();
    const dump = readDumpFixture('null_deref_inline');
    const dumped = await untilDone(server, await reportCrash(server, game, build, { dump }));
    const sent = await send(nativeEvent(await programOffsets(dumped.report_id)));
    assert.equal(sent.state, 'processed');
    assert.ok(
      sent.missing_symbols.some((name) => name.startsWith('null_deref_inline/')),
      sent.missing_symbols.join(),
    );
    assert.ok(!JSON.stringify(sent).includes('ann'), 'folders of people are removed');
    await addSymbols(server, game, build, readSymbolFixture('null_deref_inline'));
    await untilCompiled(server, game, build);
    const [first, second] = await until(async () => {
      const rows = [await reportRow(server, dumped.report_id), await reportRow(server, sent.report_id)];
      return rows.every(({ signature }) => signature === 'render::measure') && rows;
    });
    assert.equal(first!.group_id, second!.group_id);
    assert.deepEqual(
      (await groupsOf(server, game)).map(({ title, count }) => [title, count]),
      [['render::measure', 2]],
    );
  });

  test('is used if the dump cannot be read, which the report says', async () => {
    const { send } = await openGame();
    const row = await send(nativeEvent([0x1000]), { dump: Buffer.from([0xef, 0xbe, 0xad, 0xde]) });
    assert.equal(row.state, 'processed');
    assert.ok(row.stack_key !== null);
    assert.match(row.failure!, /^The dump cannot be read/);
    const managed = await send(MANAGED, { dump: Buffer.from([0xef, 0xbe, 0xad, 0xde]) });
    assert.equal(managed.state, 'failed');
    assert.equal(managed.signature, 'InvalidOperationException: cannot load level <n> | Owls.Level.Load');
  });
});

/** 60 KB. */
const TOO_LARGE_FOR_ROW = {
  breadcrumbs: Array.from({ length: 60 }, (_, no) => ({
    timestamp: no,
    category: 'level',
    message: `${no} `.repeat(400),
  })),
};

test('a large event is deleted with its report', async () => {
  const { game, send, call } = await openGame();
  const row = await send({ ...MANAGED, ...TOO_LARGE_FOR_ROW });
  const { event_key: key } = await onlyRow(
    server.ctx.db,
    sql<{ event_key: string }>`select event_key from crash_reports where report_id = ${row.report_id}`,
  );
  assert.notEqual(await server.ctx.blobs.stat(key), null);
  const headers = await signIn(server, game.owner);
  await request(`${server.api}/games/${game.uid}/crashes/${row.report_id}`, { method: 'DELETE', headers });
  assert.equal(await server.ctx.blobs.stat(key), null);
  assert.equal((await call(`crashes/${row.report_id}`)).error?.code, 4040);
});

describe('the API', () => {
  const DETAILED = {
    ...MANAGED,
    sdk: { name: 'sentry.dotnet.unity', version: '4.0.0' },
    timestamp: 1_700_000_000,
    exception: MANAGED.exception.map((each, index) =>
      index > 0
        ? each
        : {
            ...each,
            stacktrace: stack({
              function: 'Load',
              module: 'Owls.Level',
              filename: 'Assets/Level.cs',
              lineno: 12,
              in_app: true,
              pre_context: ['{', '  var owls = Find();'],
              context_line: '  owls.Fly();',
              post_context: ['}'],
            }),
          },
    ),
    threads: [
      { id: 7, name: 'Loader', crashed: false, stacktrace: stack({ function: 'Wait', module: 'Owls.Loader' }) },
    ],
    breadcrumbs: [
      { timestamp: 1_699_999_990, category: 'ui.click', message: 'Play', level: 'info', data: { level: 7 } },
      { message: 'a timer ran', type: 'debug' },
    ],
  };

  test('has the chain of exceptions, source lines, threads and breadcrumbs of an event', async () => {
    const { send, call } = await openGame();
    const { report_id: id } = await send(DETAILED);
    const { event, kind } = (await call(`crashes/${id}`)).data;
    assert.equal(kind, 'crash');
    assert.deepEqual([event.platform, event.level, event.sdk], ['csharp', 'fatal', 'sentry.dotnet.unity 4.0.0']);
    assert.deepEqual(
      event.exceptions.map(({ relation, type, is_handled }: Record<string, unknown>) => [relation, type, is_handled]),
      [
        ['thrown', 'System.Exception', false],
        ['cause', 'System.InvalidOperationException', false],
      ],
    );
    const { source, ...frame } = event.exceptions[1].frames[0];
    assert.deepEqual(frame, {
      function: 'Owls.Level.Load',
      module: null,
      offset: null,
      file: 'Assets/Level.cs',
      line: 12,
      column: null,
      trust: 'text',
      inlined: false,
      own: true,
      in_app: true,
    });
    assert.deepEqual(source, {
      first_line: 10,
      at: 2,
      lines: ['{', '  var owls = Find();', '  owls.Fly();', '}'],
    });
    assert.deepEqual(
      event.threads.map(({ name, frames }: { name: string; frames: { function: string }[] }) => [
        name,
        frames[0]!.function,
      ]),
      [['Loader', 'Owls.Loader.Wait']],
    );
    assert.deepEqual(event.breadcrumbs, [
      {
        timestamp: '2023-11-14T22:13:10.000Z',
        seconds_before: 10,
        level: 'info',
        category: 'ui.click',
        message: 'Play',
        data: { level: 7 },
      },
      { timestamp: null, seconds_before: null, level: 'info', category: 'debug', message: 'a timer ran', data: {} },
    ]);
  });

  test('shows breadcrumbs only to members who may see what players did', async () => {
    const { game, send } = await openGame();
    const { report_id: id } = await send(DETAILED);
    const viewer = await makePlayer(server);
    await makeMember(server, game.uid, viewer, 'viewer');
    const { body } = await request(`${server.api}/games/${game.uid}/crashes/${id}`, { headers: viewer.headers });
    assert.equal(body.data.event.breadcrumbs, null);
    assert.equal(body.data.event.exceptions.length, 2);
  });

  test('is small for a large event', async () => {
    const { send, call } = await openGame();
    const frame = (_: unknown, index: number) => ({
      function: `f${index}${'x'.repeat(900)}`,
      filename: `${'y'.repeat(900)}.cs`,
      lineno: index,
      pre_context: Array(50).fill('z'.repeat(900)),
      context_line: 'z'.repeat(900),
      post_context: Array(50).fill('z'.repeat(900)),
    });
    const frames = Array.from({ length: 400 }, frame);
    const { report_id: id } = await send({
      platform: 'csharp',
      exception: Array.from({ length: 40 }, () => ({ type: 'E', value: 'v'.repeat(9000), stacktrace: { frames } })),
      threads: Array.from({ length: 600 }, (_, index) => ({ id: index, stacktrace: { frames } })),
      breadcrumbs: Array.from({ length: 200_000 }, () => ({ message: 'm'.repeat(50), timestamp: 1e300 })),
    });
    const body = await call(`crashes/${id}`);
    assert.equal(body.success, true);
    assert.ok(JSON.stringify(body).length < 3_000_000, String(JSON.stringify(body).length));
    assert.equal(body.data.event.threads.length, 50);
  });

  test('lists errors apart from crashes', async () => {
    const { send, call } = await openGame();
    const crash = await send(MANAGED);
    const error = await send(MANAGED, { kind: 'error' });
    const idsOf = async (path: string) =>
      (await call(path)).data[path.startsWith('crashes') ? 'crashes' : 'groups'].map(
        (each: { group_id: string }) => each.group_id,
      );
    assert.deepEqual(await idsOf('crash-groups'), [crash.group_id]);
    assert.deepEqual(await idsOf('crash-groups?kind=error'), [error.group_id]);
    assert.deepEqual(await idsOf('crashes?kind=crash'), [crash.group_id]);
    assert.deepEqual(await idsOf('crashes?kind=error'), [error.group_id]);
    assert.deepEqual(await idsOf('crashes'), [error.group_id, crash.group_id]);
    assert.deepEqual(await idsOf(`crashes?group_id=${error.group_id}`), [error.group_id]);
    assert.deepEqual((await call('crash-group-counts?kind=error')).data, { groups: 1, reports: 1 });
    assert.equal((await call(`crash-groups/${error.group_id}`)).data.report_kind, 'error');
    assert.equal((await call('crash-groups?kind=both')).success, false);
  });
});

/** What clients really sent, and the title of its group. */
const RECORDED: readonly (readonly [request: string, title: string])[] = [
  ['00002-python.req', 'FileNotFoundError | game.module'],
  ['00008-go.req', '*errors.errorString: file not found | main.main'],
  ['00012-java.req', 'NullPointerException | Game.inner'],
  ['00023-java-crash.req', 'RuntimeException: uncaught in thread | Game.lambda$main'],
  ['00031-browser.req', 'RangeError | game'],
  ['00055-native-inproc-restart.req', 'libc.so.6'],
  ['00131-node.req', 'TypeError: car | node'],
];

describe('an event of a recorded request', { skip: REQUESTS_MISSING }, () => {
  for (const [name, title] of RECORDED)
    test(`${name} is processed`, async () => {
      const { send } = await openGame();
      const { headers, body } = readRequest(name);
      const { items } = await receive(inPieces(body), headers['content-encoding']);
      const row = await send(normalizeEvent(items.find(({ type }) => type === 'event')!.value));
      assert.deepEqual([row.state, row.signature, row.failure], ['processed', title, null]);
    });
});
