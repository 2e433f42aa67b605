// Envelopes of Sentry's SDKs while the disk for files is full. SDKs send nothing again.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { MIB } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import { onlyRow } from '../src/kernel/database/db.ts';
import { crashBlobs, makeSender, onlyReportOf } from './setup/crashes.ts';
import { makeDsn } from './setup/dsns.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { mountSmallDisk, unmountSmallDisk } from './setup/small-disk.ts';

let server: TestServer;
let disk: string | null = null;

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  disk = mountSmallDisk(join(server.dataFolder, 'blobs'), 4 * MIB);
});
after(async () => {
  if (disk !== null) unmountSmallDisk(disk);
  await server.stop();
});

/** Sends an event of level `warning` after a file that doesn't fit and before one that does. */
async function send(item: object, start: string) {
  const sender = await makeSender(server);
  const { projectNo, key } = await makeDsn(server, sender.game);
  const large = Buffer.concat([Buffer.from(start), randomBytes(6 * MIB)]);
  const id = randomUUID().replaceAll('-', '');
  const event = JSON.stringify({ event_id: id, level: 'warning', exception: [{ type: 'E', value: 'boom' }] });
  const body = Buffer.concat([
    Buffer.from(`{"event_id":"${id}"}\n${JSON.stringify({ type: 'attachment', length: large.length, ...item })}\n`),
    large,
    Buffer.from(`\n{"type":"event"}\n${event}\n{"type":"attachment","filename":"small.txt","length":5}\nhello\n`),
  ]);
  const response = await fetch(`${server.url}/api/${projectNo}/envelope/`, {
    method: 'POST',
    headers: { 'x-sentry-auth': `Sentry sentry_key=${key}` },
    body,
  });
  assert.equal(response.status, 200, await response.text());
  const report = await onlyReportOf(sender);
  const { kind } = await onlyRow(
    server.ctx.db,
    sql<{ kind: string }>`select kind from crash_reports where report_id = ${report.report_id}`,
  );
  return { ...report, kind };
}

for (const [name, item, start, kind] of [
  ['an attachment', { filename: 'save.bin' }, 'save', 'error'],
  ['a dump', { filename: 'a.dmp', attachment_type: 'event.minidump' }, 'MDMP', 'crash'],
] as const)
  test(`an event is kept without ${name} that there is no room for, and with its other files`, async (t) => {
    if (disk === null) return t.skip('skipped: this account cannot mount a disk');
    const report = await send(item, start);
    assert.deepEqual([report.message, report.kind, report.dump_key], ['E: boom', kind, null]);
    assert.equal((await crashBlobs(server)).length, 1);
    await server.ctx.blobs.delete((await crashBlobs(server))[0]!);
  });
