// A full database disk under the real server: operations report it, leave nothing half done, and succeed once there is
// space.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, open, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MIB } from '@chauffeur/contract/limits';
import { sql } from 'kysely';
import pg from 'pg';
import { reportPartitionOf } from '../src/crash/crashes/report/files.ts';
import { onlyRow, rows } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { ON_CITUS } from './setup/citus.ts';
import { type CrashSender, crashBlobs, idHeaders, makeSender, orphansOf, report, reportsOf } from './setup/crashes.ts';
import { TEST_POSTGRES } from './setup/database.ts';
import { fieldPart, filePart, multipartOf } from './setup/raw.ts';
import { type ApiResponse, request, startServer, type TestServer } from './setup/server.ts';
import { sendSymbols, storedCountsOf, symText } from './setup/symbols.ts';
import { formOf, postJson, smallZip, upload, uploadFields } from './setup/uploads.ts';

const DISK_BYTES = 8 * MIB;
/** Random text, which PostgreSQL cannot compress and needs new pages for. */
const noise = (length: number) => randomBytes(length).toString('base64url').slice(0, length);

let server: TestServer;
let sender: CrashSender;
let disk: Disk | null = null;

const BUILD = { version: '2.0', title: 'Two', build_type: 'game', os: 'linux', arch: 'x86_64' };

before(async () => {
  server = await startServer({ role: 'api', env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
  sender = await makeSender(server);
  assert.equal((await report(sender)).status, 201);
  disk = await mountDisk();
});
after(async () => {
  const orphans = await orphansOf(server).finally(() => server.stop());
  await disk?.remove();
  assert.deepEqual(orphans, []);
});

type Disk = { fill(): Promise<void>; makeRoom(): Promise<void>; remove(): Promise<void> };

/**
 * A small disk with the tables that the tests write to; null if this account cannot mount one, or the database is remote
 * or distributed.
 */
async function mountDisk(): Promise<Disk | null> {
  if (ON_CITUS) return null;
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-small-disk-'));
  const tablespace = `small_${newId().replaceAll('-', '')}`;
  const run = (statement: string) => rows(server.ctx.db, sql.raw(statement));
  try {
    const setting = sql<{ path: string }>`select current_setting('data_directory') as path`;
    const { uid, gid } = await stat((await onlyRow(server.ctx.db, setting)).path);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' });
    await chown(folder, uid, gid);
  } catch {
    await rmdir(folder);
    return null;
  }
  await run(`create tablespace ${tablespace} location '${folder}'`);
  for (const table of ['builds', 'files', 'symbol_texts', reportPartitionOf(new Date()).name])
    await run(`alter table ${table} set tablespace ${tablespace}`);
  const filler = join(folder, 'filler');
  return {
    async fill() {
      await using file = await open(filler, 'a');
      await assert.rejects(async () => {
        for (;;) await file.writeFile(Buffer.alloc(4096));
      }, /ENOSPC/);
    },
    makeRoom: () => rm(filler),
    async remove() {
      await command(`drop tablespace ${tablespace}`);
      execFileSync('umount', [folder]);
      await rmdir(folder);
    },
  };
}

/** Runs outside the test database, which is dropped by then. */
async function command(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env[TEST_POSTGRES] });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

type Case = { what: string; send: () => Promise<ApiResponse>; stored: () => Promise<unknown> };

const DUMP = Buffer.from('MDMP and more');
const form = () =>
  multipartOf([
    fieldPart('metadata', JSON.stringify({ further: noise(1000), message: noise(1000), user_message: noise(4000) })),
    filePart(DUMP, { name: 'dump', filename: 'x.dmp' }),
  ]);

const CASES: readonly Case[] = [
  {
    what: 'a build',
    send: () => postJson(server, sender.game, { ...BUILD, description: noise(10_000) }),
    stored: async () =>
      (await request(`${server.api}/tool/builds`, { headers: sender.game.keyHeaders })).body.data.builds,
  },
  {
    what: 'a zip',
    send: async () => upload(server, sender.game, formOf(uploadFields(sender.buildId, smallZip()), smallZip())),
    stored: () => Array.fromAsync(server.ctx.blobs.list('files/')),
  },
  {
    what: 'symbols',
    send: () => sendSymbols(server, sender.game, sender.buildId, symText()),
    stored: async () => ({ ...(await storedCountsOf(server, sender.game)), blobs: 'left to the sweeper' }),
  },
  {
    what: 'a crash report',
    send: () =>
      report(sender, { metadata: Object.fromEntries(Array.from({ length: 60 }, (_, no) => [no, noise(1000)])) }),
    stored: () => reportsOf(sender),
  },
  {
    what: 'a crash report in a form, with its dump',
    send: () =>
      request(`${server.api}/public/crashes`, {
        method: 'POST',
        headers: { ...idHeaders(sender), 'content-type': 'multipart/form-data; boundary=B' },
        body: form() as Buffer<ArrayBuffer>,
      }),
    stored: async () => [await reportsOf(sender), await crashBlobs(server)],
  },
];

describe('a full database', () => {
  for (const { what, send, stored } of CASES) {
    test(`refuses ${what} with 5070, stores nothing of it, and accepts it once there is space`, async (t) => {
      if (disk === null) return t.skip('skipped: this account cannot mount a disk');
      const before = await stored();
      await disk.fill();
      const refused = await send();
      assert.deepEqual([refused.status, refused.body.error?.code], [507, 5070], JSON.stringify(refused.body));
      assert.deepEqual(await stored(), before);
      assert.equal((await fetch(`${server.url}/ready`)).status, 200);
      await disk.makeRoom();
      const { status, body } = await send();
      assert.equal(status, 201, JSON.stringify(body));
    });
  }
});
