// Repeatedly kills the server and its worker while crash reports arrive: every accepted report is stored once and
// grouped.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readDumpFixture, readSymbolFixture } from '../../packages/server/test/setup/crash-dumps.ts';
import { environmentWith, SERVER } from '../../packages/server/test/setup/programs.ts';
import { runServerCommand } from '../../packages/server/test/setup/server-command.ts';
import { formOf, sha256 } from '../../packages/server/test/setup/uploads.ts';
import { type Served, serveStudio } from '../setup/served.ts';

const DUMP = readDumpFixture('null_deref_inline');
const SENDERS = 4;
const KILLS = 5;
const DEADLINE_MS = 120_000;

// The test sends more than the limit for one address.
const SETTINGS = { CHAUFFEUR_LIMIT_PUBLIC: '0' };

type Sent = {
  /** Ids of accepted reports. */
  readonly accepted: Set<string>;
  /** Ids of accepted reports whose dump was accepted too, or that have no dump. */
  readonly complete: Set<string>;
};

describe('crash reports while the server is killed', () => {
  const served = serveStudio({ settings: SETTINGS });
  let worker: ChildProcess;
  let buildId: string;
  before(async () => {
    buildId = await shipSymbols(served);
    worker = startWorker(served);
  });
  after(async () => {
    await killWorker(worker);
  });

  test('every accepted report is stored once, and its group counts it once', async () => {
    const sent: Sent = { accepted: new Set(), complete: new Set() };
    const ending = new AbortController();
    const senders = Array.from({ length: SENDERS }, () => sendReports(served, buildId, sent, ending.signal));
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = sent.accepted.size + randomInt(5, 60);
      while (sent.accepted.size < enough) await wait(1);
      if (kill % 2 === 0) {
        await killWorker(worker);
        worker = startWorker(served);
      } else {
        await served.service.kill();
        await served.restart();
      }
    }
    ending.abort();
    await Promise.all(senders);
    const reports = await untilGrouped(served, sent);
    const ids = reports.map(({ crash_id }) => crash_id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(
      [...sent.accepted].filter((id) => !ids.includes(id)),
      [],
    );
    const expected = Map.groupBy(
      reports.filter(({ group_id }) => group_id !== null),
      ({ title }) => title,
    );
    const groups = await readAll<Group>(served, 'crash-groups', 'groups');
    assert.deepEqual(
      groups.map(({ title, count }) => [title, count]).sort(),
      [...expected].map(([title, members]) => [title, members.length]).sort(),
    );
    assert.deepEqual(groups.map(({ title }) => title).sort(), ['The end of the world', 'render::measure']);
  });

  test('the operator command regroups the reports of a game, and prints their number', async () => {
    const { code, stdout } = await runServerCommand(served.service.environment, [
      'regroup',
      '--game',
      served.studio.slug,
      '--json',
    ]);
    assert.deepEqual([code, JSON.parse(stdout)], [0, { reports: 0, left: 0 }]);
    const unknown = await runServerCommand(served.service.environment, ['regroup', '--game', 'no-such-game']);
    assert.deepEqual([unknown.code, /there is no game/.test(unknown.stderr)], [1, true]);
  });
});

/** Sends reports, alternately with and without a dump, until `ending` is aborted. Failed reports are not sent again. */
async function sendReports(served: Served, buildId: string, sent: Sent, ending: AbortSignal): Promise<void> {
  for (let turn = 0; !ending.aborted; turn++) {
    try {
      await sendReport(served, buildId, sent, turn % 2 === 0);
    } catch {
      // The server is being killed or started.
      await wait(20);
    }
  }
}

async function sendReport({ service, studio }: Served, buildId: string, sent: Sent, has_dump: boolean): Promise<void> {
  const created = await fetch(`${service.api}/public/crashes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-app-id': studio.gameUid, 'x-build-id': buildId },
    body: JSON.stringify({ message: 'The end of the world', has_dump }),
  });
  if (created.status !== 201) throw new Error(`the report returned ${created.status}`);
  const { data } = (await created.json()) as { data: { id: string; uploads: { dump?: { url: string } } } };
  sent.accepted.add(data.id);
  if (data.uploads.dump !== undefined) {
    const put = await fetch(data.uploads.dump.url, { method: 'PUT', body: new Uint8Array(DUMP) });
    if (put.status !== 200) throw new Error(`the upload returned ${put.status}`);
  }
  sent.complete.add(data.id);
}

type Crash = { crash_id: string; state: string; title: string; group_id: string | null };
type Group = { title: string; count: number };

/** Returns all reports, once every complete one is processed. A report whose dump was cut off keeps waiting for it. */
async function untilGrouped(served: Served, { complete }: Sent): Promise<Crash[]> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const reports = await readAll<Crash>(served, 'crashes', 'crashes');
    const unfinished = reports.filter(
      ({ crash_id, state, group_id }) =>
        state === 'queued' ||
        state === 'processing' ||
        (complete.has(crash_id) && (state !== 'processed' || group_id === null)),
    );
    if (unfinished.length === 0) return reports;
    if (Date.now() > deadline)
      throw new Error(`unfinished:\n${JSON.stringify(unfinished)}\n${served.service.output()}`);
    await wait(200);
  }
}

/** Reads all pages of a list of the studio's game as its owner. */
async function readAll<T>(served: Served, path: string, field: string): Promise<T[]> {
  const { service, studio } = served;
  const headers = studio.session;
  const all: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? 'limit=100' : `limit=100&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${service.api}/games/${studio.gameUid}/${path}?${query}`, { headers });
    const { data } = (await response.json()) as { data: { next_cursor: string | null } & Record<string, T[]> };
    all.push(...(data[field] ?? []));
    cursor = data.next_cursor;
  }
  return all;
}

/** Registers a build and uploads its symbols. Returns its id. */
async function shipSymbols({ service, studio }: Served): Promise<string> {
  const headers = studio.keyHeaders;
  const registered = await fetch(`${service.api}/tool/upload/build`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ version: '1.0.0', os: 'linux', arch: 'x86_64' }),
  });
  const { data } = (await registered.json()) as { data: { build_id: string } };
  const symbols = readSymbolFixture('null_deref_inline');
  const body = formOf({ build_id: data.build_id, checksum: sha256(symbols) }, symbols, { filename: 'game.sym' });
  const sent = await fetch(`${service.api}/tool/upload/symbols`, { method: 'POST', headers, body });
  assert.equal(sent.status, 201);
  return data.build_id;
}

/** Starts a second worker, in addition to the server's own, on the same database. */
function startWorker({ service }: Served): ChildProcess {
  return spawn(process.execPath, [SERVER, 'worker'], {
    env: environmentWith(service.environment),
    stdio: 'ignore',
  });
}

async function killWorker(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  if (worker.exitCode === null && worker.signalCode === null && worker.kill('SIGKILL')) await ended;
}
