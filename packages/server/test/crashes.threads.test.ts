// The threads of a dump on a real server: their list, one thread whole, and who may read them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeAmd64Context } from '../../minidump/test/dump-writer/contexts.ts';
import { writeDump } from '../../minidump/test/dump-writer/dump-writer.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { statusOf } from './setup/api-calls.ts';
import { readDumpFixture, reportCrash, untilDone } from './setup/crash-dumps.ts';
import { addBuild, addReport, callAs, makeSharedGame, type Person } from './setup/crash-reports.ts';
import { makeGame, makePlayer, request, signIn, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { register } from './setup/uploads.ts';

let server: TestServer;
let game: TestGame;
let buildId: string;
let headers: Record<string, string>;
let stranger: Person;
before(async () => {
  server = await startServer();
  game = await makeGame(server);
  [buildId, headers, stranger] = await Promise.all([
    register(server, game),
    signIn(server, game.owner),
    makePlayer(server),
  ]);
});
after(() => server.stop());

async function processed(dump: Uint8Array): Promise<string> {
  const id = await reportCrash(server, game, buildId, { dump });
  await untilDone(server, id);
  return `/games/${game.uid}/crashes/${id}/threads`;
}

const read = async (path: string) => (await request(`${server.api}${path}`, { headers })).body.data;

/** A dump of threads whose stacks hold return addresses into the module `game`. */
function dumpOf(threads: number, words: number): Uint8Array {
  const context = (rsp: bigint) => writeAmd64Context({ rip: 0x401010n, rsp });
  const bytes = new Uint8Array(new BigUint64Array(words).fill(0x401020n).buffer);
  return writeDump({
    system: { processorArchitecture: 9, platformId: 0x8201, cpuCount: 1 },
    threads: Array.from({ length: threads }, (_, index) => {
      const start = 0x7000_0000n + BigInt(index) * 0x10_0000n;
      return { id: index, context: context(start), stack: { start, bytes } };
    }),
    exception: { threadId: threads - 1, code: 11, context: context(0x7000_0000n + BigInt(threads - 1) * 0x10_0000n) },
    modules: [{ name: '/opt/game', base: 0x400000n, size: 0x10000 }],
  });
}

describe('the threads of a dump', () => {
  test('are listed and read whole, with registers and the memory of the stack', async () => {
    const path = await processed(readDumpFixture('null_deref_inline'));
    const { threads, more_threads } = await read(path);
    assert.deepEqual([threads[0].state, threads[0].thread, more_threads], ['crashed', 0, 0]);
    const thread = await read(`${path}/0?words=1024&frames=1000`);
    assert.equal(thread.registers.rip, '0x000056064af5fce8');
    assert.equal(thread.frames.length, thread.frame_count);
    assert.equal(thread.memory.stack_pointer, thread.registers.rsp);
    assert.equal(thread.memory.words.length, 512);
    assert.ok(thread.memory.words.some(({ address }: { address: string }) => address === thread.registers.rsp));
    assert.ok(thread.memory.words.some(({ points_to }: { points_to: string }) => /^libc\.so\.6/.test(points_to ?? '')));
    const bare = await read(`${path}/0`);
    assert.deepEqual([bare.memory, bare.memory_problem], [null, null]);
  });

  test('stay bounded for 600 threads of 2,000 frames', async () => {
    const path = await processed(dumpOf(600, 2000));
    const { threads, more_threads } = await read(path);
    assert.deepEqual([threads.length, threads[0].thread, more_threads], [512, 599, 88]);
    const crashed = await read(`${path}/599?first_frame=10&frames=5&words=4`);
    assert.deepEqual([crashed.frames.length, crashed.first_frame, crashed.memory.words.length], [5, 10, 4]);
    const list = await request(`${server.api}${path}`, { headers });
    assert.ok(JSON.stringify(list.body).length < 512 * 1024);
  });

  test('refuse numbers that are none, and threads that do not exist', async () => {
    const path = await processed(readDumpFixture('null_deref_inline'));
    const statuses = await Promise.all(
      ['-1', '01', '1e3', '1000000', 'x', '99'].map(async (thread) =>
        statusOf(await request(`${server.api}${path}/${thread}`, { headers })),
      ),
    );
    assert.deepEqual(
      statuses.map(([status]) => status),
      [400, 400, 400, 400, 400, 404],
    );
    for (const query of ['words=1025', 'words=-1', 'frames=0', 'frames=1001', 'first_frame=x', 'words=1&words=2'])
      assert.equal((await request(`${server.api}${path}/0?${query}`, { headers })).status, 400, query);
  });

  test('are only for members, and only once the dump is processed', async () => {
    const path = await processed(readDumpFixture('null_deref_inline'));
    const waiting = await reportCrash(server, game, buildId);
    for (const each of [path, `${path}/0`]) {
      assert.deepEqual(statusOf(await callAs(server, stranger, each)), [404, 4040]);
      assert.deepEqual(statusOf(await callAs(server, null, each)), [401, 4011]);
      const other = await makeSharedGame(server);
      const moved = each.replace(game.uid, other.uid);
      assert.deepEqual(statusOf(await callAs(server, other.owner, moved)), [404, 4040]);
      const ofWaiting = each.replace(/crashes\/[^/]+/, `crashes/${waiting}`);
      assert.deepEqual(statusOf(await request(`${server.api}${ofWaiting}`, { headers })), [409, 4090]);
      const unknown = each.replace(/crashes\/[^/]+/, `crashes/${newId()}`);
      assert.deepEqual(statusOf(await request(`${server.api}${unknown}`, { headers })), [404, 4040]);
    }
  });

  test('of a report that an older version processed have no memory', async () => {
    const shared = await makeSharedGame(server);
    const id = await addReport(server.ctx, {
      game: shared,
      buildId: await addBuild(server, shared),
      stack: ['a', 'b'],
    });
    const { body } = await callAs(server, shared.owner, `/games/${shared.uid}/crashes/${id}/threads/0?words=8`);
    assert.deepEqual([body.data.memory, body.data.memory_problem, body.data.frames.length], [null, 'reprocess', 2]);
  });
});
