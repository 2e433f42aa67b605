// Requests of Sentry's SDKs while the disk for files is full, or the one on which archives are unpacked. SDKs send
// nothing again.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MIB } from '@chauffeur/contract/limits';
import { encode } from '@msgpack/msgpack';
import { sql } from 'kysely';
import { OMISSIONS_KEY } from '../src/crash/crashes/receive/details.ts';
import { onlyRow } from '../src/kernel/database/db.ts';
import { attachmentsOf, type CrashSender, crashBlobs, makeSender, onlyReportOf, orphansOf } from './setup/crashes.ts';
import { makeDsn, type TestDsn } from './setup/dsns.ts';
import { envelope, newEventId, sendEnvelope } from './setup/envelopes.ts';
import { fieldPart, filePart, multipartOf, type Part } from './setup/raw.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { mountSmallDisk, unmountSmallDisk } from './setup/small-disk.ts';
import { unrealArchive } from './setup/unreal.ts';

let server: TestServer;
const disks: string[] = [];
let isSkipped = false;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  await mount('blobs', 4 * MIB);
  await mount('spool', MIB);
});
after(async () => {
  const orphans = await orphansOf(server);
  for (const disk of disks) unmountSmallDisk(disk);
  await server.stop();
  assert.deepEqual(orphans, []);
});

async function mount(name: string, bytes: number): Promise<void> {
  const folder = join(server.dataFolder, name);
  await mkdir(folder, { recursive: true });
  const disk = mountSmallDisk(folder, bytes);
  if (disk === null) isSkipped = true;
  else disks.push(disk);
}

const NOTE = 'Files were left out because the storage of the server was full.';
const EVENT = { level: 'warning', exception: [{ type: 'E', value: 'boom' }] };
/** More than either disk has room for. */
const large = (start: string) => Buffer.concat([Buffer.from(start), randomBytes(6 * MIB)]);

type Player = CrashSender & TestDsn;

async function start(): Promise<Player> {
  const sender = await makeSender(server);
  return { ...sender, ...(await makeDsn(server, sender.game)) };
}

/** The report of the game. Its files are removed, so that the next test has room. */
async function takeReport(player: Player) {
  const report = await onlyReportOf(player);
  const { kind } = await onlyRow(
    server.ctx.db,
    sql<{ kind: string }>`select kind from crash_reports where report_id = ${report.report_id}`,
  );
  const names = (await attachmentsOf(player)).map(({ name }) => name);
  await sql`update crash_reports set attachments = '[]', dump_key = null, log_key = null, event_key = null`.execute(
    server.ctx.db,
  );
  for (const key of await crashBlobs(server)) await server.ctx.blobs.delete(key);
  const omissions = String(report.metadata[OMISSIONS_KEY] ?? '');
  return { ...report, kind, names, says: omissions.includes(NOTE) };
}

function whenMounted(name: string, run: () => Promise<void>): void {
  test(name, (t) => (isSkipped ? t.skip('skipped: this account cannot mount a disk') : run()));
}

describe('an envelope', () => {
  for (const [name, item, begin, kind] of [
    ['an attachment', { filename: 'save.bin' }, 'save', 'error'],
    ['a dump', { filename: 'a.dmp', attachment_type: 'event.minidump' }, 'MDMP', 'crash'],
  ] as const)
    whenMounted(`keeps its event without ${name} that there is no room for, and its other files`, async () => {
      const player = await start();
      const event_id = newEventId();
      const body = envelope({ event_id }, [
        [{ type: 'attachment', ...item }, large(begin)],
        [{ type: 'event' }, JSON.stringify({ event_id, ...EVENT })],
        [{ type: 'attachment', filename: 'small.txt' }, 'hello'],
      ]);
      assert.equal((await sendEnvelope(player, body)).status, 200);
      const report = await takeReport(player);
      assert.deepEqual(
        [report.message, report.kind, report.dump_key, report.names, report.says],
        ['E: boom', kind, null, ['small.txt'], true],
      );
    });

  whenMounted('keeps an event that would be a file itself', async () => {
    const player = await start();
    await server.ctx.blobs.put('filler', fillerOf(4 * MIB - 64 * 1024));
    const event_id = newEventId();
    const breadcrumbs = Array.from({ length: 100 }, () => ({ message: randomBytes(1500).toString('hex') }));
    const text = JSON.stringify({ event_id, ...EVENT, breadcrumbs });
    assert.equal((await sendEnvelope(player, envelope({ event_id }, [[{ type: 'event' }, text]]))).status, 200);
    await server.ctx.blobs.delete('filler');
    const report = await takeReport(player);
    assert.equal(report.message, 'E: boom');
  });

  whenMounted('with feedback becomes a ticket without the file', async () => {
    const player = await start();
    const event_id = newEventId();
    const feedback = { event_id, contexts: { feedback: { message: 'I fell' } } };
    const body = envelope({ event_id }, [
      [{ type: 'attachment', filename: 'save.bin' }, large('save')],
      [{ type: 'feedback' }, JSON.stringify(feedback)],
    ]);
    assert.equal((await sendEnvelope(player, body)).status, 200);
    const { message } = await onlyRow(
      server.ctx.db,
      sql<{ message: string }>`select message from bug_tickets where game_id = ${player.game.uid}`,
    );
    assert.equal(message, 'I fell');
  });

  whenMounted('with feedback becomes a ticket when its file cannot be copied', async () => {
    const player = await start();
    const event_id = newEventId();
    const feedback = { event_id, contexts: { feedback: { message: 'I fell' } } };
    const body = envelope({ event_id }, [
      [{ type: 'attachment', filename: 'save.bin' }, randomBytes(2.5 * MIB)],
      [{ type: 'feedback' }, JSON.stringify(feedback)],
    ]);
    assert.equal((await sendEnvelope(player, body)).status, 200);
    const { message } = await onlyRow(
      server.ctx.db,
      sql<{ message: string }>`select message from bug_tickets where game_id = ${player.game.uid}`,
    );
    assert.equal(message, 'I fell');
    const left = await Array.fromAsync(server.ctx.blobs.list(''));
    assert.deepEqual(left, []);
  });
});

async function* fillerOf(bytes: number): AsyncGenerator<Uint8Array, undefined> {
  yield randomBytes(bytes);
}

describe('a form with a minidump', () => {
  const send = async (player: Player, parts: readonly Part[]) => {
    const { projectNo, key } = player;
    const body = multipartOf(parts);
    const response = await fetch(`${server.url}/api/${projectNo}/minidump/?sentry_key=${key}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      body: new Uint8Array(body),
    });
    assert.equal(response.status, 200, await response.text());
  };
  const dump = () => filePart(large('MDMP'), { name: 'upload_file_minidump', filename: 'a.dmp' });

  whenMounted('keeps its annotations and small files without the dump', async () => {
    const player = await start();
    await send(player, [
      fieldPart('prod', 'Owls'),
      dump(),
      filePart(Buffer.from('hello'), { name: 'note', filename: 'note.json' }),
      fieldPart('ver', '1.4.2'),
    ]);
    const report = await takeReport(player);
    assert.deepEqual(
      [report.kind, report.app_name, report.app_version, report.dump_key, report.names, report.says],
      ['crash', 'Owls', '1.4.2', null, ['note.json'], true],
    );
    assert.equal(report.failure, 'The dump was not kept because the storage of the server was full.');
  });

  for (const [name, part] of [
    ['in JSON', fieldPart('sentry', JSON.stringify(EVENT))],
    ['in msgpack', filePart(Buffer.from(encode(EVENT)), { name: '__sentry-event', filename: '__sentry-event' })],
  ] as const)
    whenMounted(`keeps its event ${name} without the dump`, async () => {
      const player = await start();
      await send(player, [dump(), part]);
      const report = await takeReport(player);
      assert.deepEqual([report.kind, report.message, report.dump_key, report.says], ['crash', 'E: boom', null, true]);
    });

  whenMounted('keeps a crash whose dump cannot be recognized', async () => {
    const player = await start();
    await send(player, [
      filePart(large('nonsense'), { name: 'upload_file_minidump', filename: 'a.dmp' }),
      filePart(large('log'), { name: 'log', filename: 'game.log' }),
    ]);
    const report = await takeReport(player);
    assert.deepEqual([report.kind, report.dump_key, report.log_key, report.says], ['crash', null, null, true]);
  });
});

describe("an archive of Unreal's client", () => {
  const context = Buffer.from(`<FGenericCrashContext><RuntimeProperties><GameName>UE-Racer</GameName>
    <ErrorMessage>Assertion failed</ErrorMessage></RuntimeProperties></FGenericCrashContext>`);
  const small = [
    { name: 'CrashContext.runtime-xml', content: context },
    { name: 'Racer.log', content: Buffer.from('LogInit: started\n') },
  ];
  const dump = () => ({ name: 'UEMinidump.dmp', content: large('MDMP') });

  for (const marked of [true, false])
    for (const dumpFirst of [true, false])
      whenMounted(
        `${marked ? 'of new engines' : 'of old engines'}, with the dump ${dumpFirst ? 'first' : 'last'}, keeps its context and log`,
        async () => {
          const player = await start();
          const { projectNo, key } = player;
          const files = dumpFirst ? [dump(), ...small] : [...small, dump()];
          const response = await fetch(`${server.url}/api/${projectNo}/unreal/${key}/`, {
            method: 'POST',
            body: new Uint8Array(deflateSync(unrealArchive(files, { marked }))),
          });
          assert.equal(response.status, 200, await response.text());
          const { kind, app_name, message, dump_key, log_key, failure, says } = await takeReport(player);
          assert.deepEqual(
            [kind, app_name, message, dump_key, says],
            ['crash', 'Racer', 'Assertion failed', null, true],
          );
          assert.notEqual(log_key, null);
          assert.equal(failure, 'The dump was not kept because the storage of the server was full.');
        },
      );

  whenMounted('that is nothing of the kind is refused', async () => {
    const { projectNo, key } = await start();
    const response = await fetch(`${server.url}/api/${projectNo}/unreal/${key}/`, {
      method: 'POST',
      body: new Uint8Array(deflateSync(large('nonsense'))),
    });
    assert.equal(response.status, 400, await response.text());
  });
});
