// The counts of devices, sessions and facets on a real server: after any changes they are what a recount of the stored
// reports gives.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { dropOldCrashes } from '../src/crash/crashes/keep/retention.job.ts';
import { moveReportCounts, moveSplit } from '../src/crash/crashes/triage/group-moves.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { addBuild, addReport, callAs, recordStack } from './setup/crash-reports.ts';
import { readCounts } from './setup/impact.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { listedGroups, makeTriagedGame, type TriagedGame } from './setup/triage.ts';

/** Runs no jobs: the tests do. */
let server: TestServer;
before(async () => {
  server = await startServer({ role: 'api' });
});
after(() => server.stop());

type Change =
  | { kind: 'report'; name: number; device: number; session: number; gpu: number; build: number; old: boolean }
  | { kind: 'walk again'; report: number; name: number; gpu: number }
  | { kind: 'delete' | 'forget'; report: number }
  | { kind: 'merge' | 'unmerge' | 'split'; group: number; other: number }
  | { kind: 'undo' }
  | { kind: 'expire' };

const small = (max: number) => fc.integer({ min: 0, max });
const report = fc.record({
  kind: fc.constant('report' as const),
  name: small(3),
  device: small(3),
  session: small(2),
  gpu: small(2),
  build: small(1),
  old: fc.boolean(),
});
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 8, arbitrary: report },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('walk again' as const),
      report: small(30),
      name: small(3),
      gpu: small(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'forget' as const), report: small(30) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('merge' as const, 'unmerge' as const, 'split' as const),
      group: small(5),
      other: small(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
);

type World = {
  studio: TriagedGame;
  builds: string[];
  reports: { id: string; device: string | undefined }[];
  undoable: string[];
};

const metadataOf = (gpu: number): Record<string, string> => (gpu === 0 ? {} : { gpu: `GPU ${gpu}`, Level: `${gpu}` });
const OLD = Date.UTC(2024, 0, 10);

async function apply(world: World, change: Change): Promise<void> {
  const { studio, builds, reports } = world;
  const { game } = studio;
  const ctx = server.ctx;
  const request = (path: string, method: string, body?: object) =>
    callAs(server, game.owner, `/games/${game.uid}${path}`, { method, body });
  switch (change.kind) {
    case 'report': {
      const { name, device, session, gpu, build, old } = change;
      const at = old ? { ...ctx, clock: { now: () => new Date(OLD) } } : ctx;
      const ids = {
        ...(device > 0 && { device_uid: `d${device}` }),
        ...(session > 0 && { session_id: `s${session}` }),
      };
      const id = await addReport(at, {
        game,
        buildId: builds[build]!,
        metadata: metadataOf(gpu),
        ...ids,
        ...(name === 3 ? { message: 'no stack' } : { stack: [`f${name}`, `shared${gpu}`] }),
      });
      reports.push({ id, device: ids.device_uid });
      return;
    }
    case 'walk again': {
      const one = reports[change.report % Math.max(1, reports.length)];
      if (one !== undefined)
        await recordStack(ctx, game.uid, one.id, [`f${change.name}`, 'shared1'], { metadata: metadataOf(change.gpu) });
      return;
    }
    case 'delete': {
      const one = reports[change.report % Math.max(1, reports.length)];
      if (one !== undefined) await request(`/crashes/${one.id}`, 'DELETE');
      return;
    }
    case 'forget': {
      const one = reports[change.report % Math.max(1, reports.length)];
      if (one?.device !== undefined) assert.equal((await request(`/devices/${one.device}`, 'DELETE')).status, 200);
      return;
    }
    case 'merge':
    case 'unmerge':
    case 'split':
      return regroup(world, change);
    case 'undo': {
      const last = world.undoable.pop();
      if (last !== undefined) await request('/crash-groups/undo', 'POST', { change_uid: last });
      return;
    }
    case 'expire':
      await dropOldCrashes(ctx);
  }
}

async function regroup(world: World, change: Extract<Change, { group: number }>): Promise<void> {
  const { studio } = world;
  const groups = await listedGroups(studio);
  const group = groups[change.group % Math.max(1, groups.length)];
  const other = groups[change.other % Math.max(1, groups.length)];
  if (group === undefined || other === undefined) return;
  const post = async (path: string, body: object) => {
    const { body: response } = await callAs(
      server,
      studio.game.owner,
      `/games/${studio.game.uid}/crash-groups${path}`,
      {
        method: 'POST',
        body,
      },
    );
    const changeUid: string | undefined = response.data?.change_uid;
    if (changeUid != null) world.undoable.push(changeUid);
    return response.data;
  };
  if (change.kind === 'merge' && group !== other) await post('/merge', { group_ids: [group.group_id, other.group_id] });
  if (change.kind === 'split') {
    await post(`/${group.group_id}/split`, { function: 'shared1' });
    await moveSplit(server.ctx, { gameId: studio.game.uid, groupId: group.group_id, name: 'shared1', before: null });
  }
  if (change.kind === 'unmerge') {
    const detail = await callAs(server, studio.game.owner, `/games/${studio.game.uid}/crash-groups/${group.group_id}`);
    const [member] = detail.body.data?.merged ?? [];
    if (member !== undefined) await post(`/${group.group_id}/unmerge`, { group_ids: [member.group_id] });
  }
}

async function openWorld(): Promise<World> {
  const studio = await makeTriagedGame(server);
  const builds = [studio.build, await addBuild(server, studio.game, { version: '2.0.0' })];
  return { studio, builds, reports: [], undoable: [] };
}

describe('counts of devices, sessions and facets', () => {
  test('are those of the stored reports after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 40, size: 'max' }), async (changes) => {
        const world = await openWorld();
        for (const each of changes) {
          await apply(world, each);
          const { kept, recounted } = await readCounts(server.ctx.db, world.studio.game.uid);
          assert.deepEqual(kept, recounted, `after ${JSON.stringify(each)}`);
        }
      }),
      { numRuns: 12, ...(process.env.FC_SEED !== undefined && { seed: Number(process.env.FC_SEED) }) },
    );
  });

  test('are the same if everything happens at once', async () => {
    const world = await openWorld();
    const changes = fc.sample(report, { numRuns: 60, seed: 7 });
    await Promise.all(changes.map((each) => apply(world, each)));
    const others = fc.sample(
      change.filter(({ kind }) => kind !== 'expire'),
      { numRuns: 60, seed: 11 },
    );
    await Promise.all(others.map((each) => apply(world, each)));
    const { game } = world.studio;
    const groups = await listedGroups(world.studio);
    const details = await Promise.all(
      groups.map(async ({ group_id }) => {
        const { body } = await callAs(server, game.owner, `/games/${game.uid}/crash-groups/${group_id}`);
        return [group_id, ...body.data.merged.map((member: { group_id: string }) => member.group_id)];
      }),
    );
    for (const groupId of details.flat()) {
      await moveSplit(server.ctx, { gameId: game.uid, groupId, name: 'shared1', before: null });
      await moveReportCounts(server.ctx, { gameId: game.uid, groupId, before: null });
    }
    const { kept, recounted } = await readCounts(server.ctx.db, game.uid);
    assert.deepEqual(kept, recounted);
  });

  test('move with the reports of a large group in batches, each exactly', async () => {
    const world = await openWorld();
    const { game } = world.studio;
    for (let index = 0; index < 12; index += 1)
      await apply(world, {
        kind: 'report',
        name: index % 2,
        device: 1 + (index % 3),
        session: 1,
        gpu: 1,
        build: 0,
        old: false,
      });
    const ids = (await listedGroups(world.studio)).map(({ group_id }) => group_id);
    await callAs(server, game.owner, `/games/${game.uid}/crash-groups/merge`, {
      method: 'POST',
      body: { group_ids: ids },
    });
    // Again, and for a group that does not exist.
    for (const groupId of [...ids, newId()])
      await moveReportCounts(server.ctx, { gameId: game.uid, groupId, before: null });
    const { kept, recounted } = await readCounts(server.ctx.db, game.uid);
    assert.deepEqual(kept, recounted);
  });
});
