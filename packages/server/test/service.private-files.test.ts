// Files of the service can only be read by its own account, even if its umask would allow more.
import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, mock, test } from 'node:test';
import { openCacheFolder } from '../src/crash/symbols/cache-folder.ts';
import { bytesOfBuffer } from '../src/kernel/blobs/byte-source.ts';
import { startEmbeddedPostgres } from '../src/kernel/postgres/embedded-postgres.ts';
import { makeDataFolder, withWorkFolder } from '../src/kernel/private-files.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { createLog } from '../src/kernel/telemetry/log.ts';
import { makeAgentGame } from './setup/agent-game.ts';
import { reportWithDump } from './setup/crashes.ts';
import { makeFullGame } from './setup/full-game.ts';
import { makeFolder } from './setup/installations.ts';
import { startServer, type TestServer } from './setup/server.ts';

const isRoot = process.getuid?.() === 0;

/** The files and folders below `folder`, but not itself, that other accounts could use. */
async function openEntries(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const open = entries.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const { mode } = await stat(path);
    return (mode & 0o077) === 0 ? [] : [`${(mode & 0o777).toString(8)} ${path}`];
  });
  return (await Promise.all(open)).flat();
}

describe('with a umask that allows everything', () => {
  const umask = process.umask();
  const folders: string[] = [];
  let server: TestServer;
  before(async () => {
    process.umask(0);
    server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0', CHAUFFEUR_LIMIT_UPLOADS: '0' } });
  });
  after(async () => {
    await server.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    process.umask(umask);
  });

  test('builds, crash reports, symbols, media, event files and mails are private', async () => {
    const { game, buildId } = await makeAgentGame(server);
    await makeFullGame(server);
    await reportWithDump({ server, game, buildId }, Buffer.from('MDMP and more'));
    await server.ctx.mailer.send({ to: 'player@example.com', subject: 'Hello', text: 'Hello' });
    const entries = await readdir(server.dataFolder);
    for (const name of ['blobs', 'outbox']) assert.ok(entries.includes(name), name);
    assert.deepEqual(await openEntries(server.dataFolder), []);
  });

  test('copies of symbols from S3 are private', async () => {
    const folder = join(await makeFolder(), 'symbol-cache');
    folders.push(join(folder, '..'));
    const key = 'game/symbols';
    await server.ctx.blobs.put(key, bytesOfBuffer(Buffer.from('symbols')));
    const blobs = { ...server.ctx.blobs, localPath: async () => null };
    await openCacheFolder({ blobs, folder, maxBytes: 1000, now: () => new Date() }).fileOf(key);
    assert.deepEqual(await openEntries(join(folder, '..')), []);
  });

  test('a new data folder is private, with those above it', async () => {
    const above = await makeFolder();
    folders.push(above);
    await makeDataFolder(join(above, 'a', 'data'));
    assert.deepEqual(await openEntries(above), []);
  });
});

describe('a data folder of an earlier version', () => {
  let folder: string;
  before(async () => {
    folder = await makeFolder();
    for (const name of ['blobs', 'outbox', 'spool', 'of-others']) {
      await mkdir(join(folder, name));
      await chmod(join(folder, name), 0o755);
    }
    await chmod(join(folder, 'spool'), 0o750);
    await symlink(join(folder, 'of-others'), join(folder, 'symbol-cache'));
    await makeDataFolder(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function modeOf(name: string): Promise<string> {
    return ((await stat(join(folder, name))).mode & 0o777).toString(8);
  }

  test('has its folders made private', async () => {
    assert.deepEqual([await modeOf('blobs'), await modeOf('outbox')], ['700', '700']);
  });

  test('keeps the mode of a folder that is open to a group only, or that is none of ours', async () => {
    assert.equal(await modeOf('spool'), '750');
    assert.equal(await modeOf('of-others'), '755');
  });
});

test('what a killed process of the same system was working on is removed at the next start', async () => {
  const folder = await makeFolder();
  try {
    await withWorkFolder(folder, async (work) => {
      const own = basename(work);
      const [, system, pid] = own.split('-');
      assert.equal(pid, String(process.pid));
      // No process has such an id; a process of another system may.
      const names = [
        `work-${system}-999999999-aaaaaa`,
        'work-000000000000-999999999-aaaaaa',
        `work-${system}-1-aaaaaa`,
      ];
      for (const name of [...names, `work-${system}-${pid}-of-an-earlier-run`])
        await mkdir(join(folder, 'spool', name));
      await makeDataFolder(folder);
      assert.deepEqual((await readdir(join(folder, 'spool'))).toSorted(), [...names.slice(1), own].toSorted());
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('what a killed process elsewhere was working on is removed a day later, and nothing else', async () => {
  const folder = await makeFolder();
  try {
    await assert.rejects(
      withWorkFolder(folder, async (work) => {
        await writeFile(join(work, 'image'), 'bytes');
        throw new Error('stop');
      }),
      /stop/,
    );
    assert.deepEqual(await readdir(join(folder, 'spool')), []);
    const old = new Date(Date.now() - 2 * 86_400_000);
    const leave = async () => {
      for (const name of ['work-old', 'work-new', 'other']) {
        await mkdir(join(folder, 'spool', name), { recursive: true });
        await writeFile(join(folder, 'spool', name, 'image'), 'bytes');
        if (name !== 'work-new') await utimes(join(folder, 'spool', name), old, old);
      }
      // An upload of symbols has no name for longer than a moment.
      const upload = join(folder, 'spool', newId());
      await writeFile(upload, '');
      await utimes(upload, old, old);
    };
    await leave();
    await makeDataFolder(folder);
    assert.deepEqual((await readdir(join(folder, 'spool'))).toSorted(), ['other', 'work-new']);
    await leave();
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 7_200_000 });
    await withWorkFolder(folder, async () => undefined);
    assert.deepEqual((await readdir(join(folder, 'spool'))).toSorted(), ['other', 'work-new']);
  } finally {
    mock.timers.reset();
    await rm(folder, { recursive: true, force: true });
  }
});

describe('an embedded PostgreSQL', () => {
  const log = createLog('silent');

  test('lets other accounts read nothing in a new data folder, and needs no capability as root', async () => {
    const above = await makeFolder();
    await chmod(above, 0o755);
    const dataFolder = join(above, 'games', 'data');
    const postgres = await startEmbeddedPostgres(dataFolder, log);
    try {
      assert.equal((await stat(dataFolder)).mode & 0o007, 0);
      for (const name of ['postgres', 'postgres-socket'])
        assert.equal((await stat(join(dataFolder, name))).mode & 0o777, 0o700, name);
      assert.deepEqual(await openEntries(join(dataFolder, 'postgres')), []);
      const pid = Number.parseInt(await readFile(join(dataFolder, 'postgres/postmaster.pid'), 'utf8'), 10);
      if (isRoot) assert.match(await readFile(`/proc/${pid}/status`, 'utf8'), /^CapEff:\t0+$/m);
    } finally {
      await postgres.stop();
      await rm(above, { recursive: true, force: true });
    }
  });

  test('refuses a folder for its socket that another user planted', { skip: !isRoot && 'only root can' }, async () => {
    const dataFolder = join(await makeFolder(), 'x'.repeat(100));
    const before = new Set(await readdir(tmpdir()));
    await (await startEmbeddedPostgres(dataFolder, log)).stop();
    const socketFolder = (await readdir(tmpdir())).find((name) => !before.has(name) && /^chauffeur-\d+-/.test(name));
    assert.ok(socketFolder !== undefined);
    const path = join(tmpdir(), basename(socketFolder));
    const target = await makeFolder();
    const start = async () => (await startEmbeddedPostgres(dataFolder, log)).stop();
    try {
      await rm(path, { recursive: true });
      await symlink(target, path);
      await assert.rejects(start(), /is not a folder of this account/);
      assert.equal((await stat(target)).uid, 0);
      await rm(path);
      await mkdir(path);
      await chown(path, 12345, 12345);
      await assert.rejects(start(), /is not a folder of this account/);
    } finally {
      for (const each of [path, target, join(dataFolder, '..')]) await rm(each, { recursive: true, force: true });
    }
  });
});
