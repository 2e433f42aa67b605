// cspell:ignore schemaname PUBLIK
// `chauffeur-server config check`, as a process, with a real database, bucket, email server and scanner.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '@chauffeur/contract/version';
import pg from 'pg';
import { NO_CLAMD, startClamd } from './setup/clamd.ts';
import { createTestDatabase } from './setup/database.ts';
import { openPostOffice, type PostOffice } from './setup/post-office.ts';
import { S3_MISSING, startS3 } from './setup/s3.ts';
import { startServer } from './setup/server.ts';
import { environmentOf, runServerCommand } from './setup/server-command.ts';
import { startSymbolServer } from './setup/symbol-server.ts';

type Checked = { part: string; level: string; says: string; remedy: string | null };

let folder: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let office: PostOffice;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chauffeur-config-'));
  [database, office] = await Promise.all([createTestDatabase({ empty: true }), openPostOffice()]);
});
after(async () => {
  await office.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const ready = () => ({
  CHAUFFEUR_DATA: folder,
  DATABASE_URL: database.url,
  CHAUFFEUR_SMTP: office.url,
  CHAUFFEUR_MAIL_FROM: 'Owls <owls@games.example>',
  CHAUFFEUR_PUBLIC_URL: 'https://games.example',
  CHAUFFEUR_TRUST_PROXY: '1',
});

async function check(environment: Record<string, string>) {
  const { code, stdout, stderr } = await runServerCommand(environment, ['config', 'check', '--json']);
  assert.equal(stderr, '');
  const { ok, checks, settings } = JSON.parse(stdout) as {
    ok: boolean;
    checks: Checked[];
    settings: { variable: string }[];
  };
  assert.equal(code, ok ? 0 : 1, stdout);
  const levelsOf = (part: string) => checks.filter((each) => each.part === part).map(({ level }) => level);
  // The PostgreSQL of the tests is as fast as it can be, which the check rightly reports.
  const problems = checks.filter(({ level, says }) => level === 'bad' && !says.includes('can lose stored data'));
  return { ok, stdout, checks, settings, levelsOf, problems };
}

async function listTables(): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(`select from pg_tables where schemaname = 'public'`);
  await client.end();
  return rows;
}

describe('config check', () => {
  test('accepts settings that work, before the first start, and changes nothing', async () => {
    const { problems, checks } = await check(ready());
    assert.deepEqual(problems, []);
    assert.ok(checks.some(({ says }) => says.includes('The database is empty')));
    assert.ok(checks.some(({ says }) => says.includes('No email was sent')));
    assert.deepEqual(office.mails, []);
    assert.deepEqual(await readdir(folder), []);
    assert.deepEqual(await listTables(), []);
    const { stdout } = await runServerCommand(ready(), ['config', 'check']);
    assert.match(stdout, /^ok {7}data {6}.* can be written and read\.$/m);
    assert.match(stdout, /^CHAUFFEUR_SMTP=smtp:\/\/‹…›@127/m);
    assert.match(stdout, /\n1 problem, \d+ warnings?\n$/);
    assert.doesNotMatch(stdout, /post office|post%20office/);
  });

  test('does not create a data folder or an embedded database', async () => {
    const { DATABASE_URL: _, ...embedded } = ready();
    const { problems, checks, ok } = await check({ ...embedded, CHAUFFEUR_DATA: join(folder, 'new') });
    assert.deepEqual([ok, problems], [true, []]);
    assert.ok(checks.some(({ says }) => says.includes('does not exist yet')));
    assert.ok(checks.some(({ says }) => says.includes('creates the embedded PostgreSQL')));
    assert.deepEqual(await readdir(folder), []);
  });

  test('works while a server runs on the same database', async () => {
    const server = await startServer({ role: 'api' });
    try {
      const { problems, checks } = await check({ ...ready(), ...environmentOf(server) });
      assert.deepEqual(problems, []);
      assert.ok(checks.some(({ says }) => says.includes('The tables are those of this version')));
    } finally {
      await server.stop();
    }
  });

  test('reports all problems at once, with remedies and without secrets', async () => {
    const { levelsOf, problems, checks, stdout } = await check({
      CHAUFFEUR_PORT: 'x',
      CHAUFFEUR_TRUST_PROXY: 'many',
      CHAUFFEUR_PUBLIK_URL: 'https://games.example',
      CHAUFFEUR_DATA: '/dev/null',
      DATABASE_URL: database.url.replace(/\/\/[^@/]*@?/, '//owl:hush-hush@').replace(/\/[^/?]*(\?|$)/, '/nowhere$1'),
      CHAUFFEUR_SMTP: office.url.replace('post%20office', 'wrong-secret'),
      CHAUFFEUR_CLAMD: '127.0.0.1:1',
      CHAUFFEUR_BLOBS: 's3://owls?endpoint=http://127.0.0.1:1',
      CHAUFFEUR_OIDC_ISSUER: 'http://127.0.0.1:1',
      CHAUFFEUR_OIDC_CLIENT_ID: 'owls',
      CHAUFFEUR_OIDC_CLIENT_SECRET: 'oidc-secret',
      CHAUFFEUR_SYMBOL_SOURCES: 'breakpad+https://owl:symbol-secret@127.0.0.1:1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'aws-secret',
    });
    assert.deepEqual(levelsOf('settings'), ['bad', 'bad', 'unsure']);
    assert.deepEqual(levelsOf('address'), ['unsure'], 'is not judged by a default instead of the invalid value');
    for (const part of ['data', 'database', 'storage', 'mail', 'scanner', 'sign-in', 'symbols'])
      assert.ok(levelsOf(part).includes('bad'), `${part}: ${JSON.stringify(checks)}`);
    for (const { remedy } of problems) assert.ok(remedy);
    assert.doesNotMatch(stdout, /hush-hush|wrong-secret|oidc-secret|aws-secret|symbol-secret/);
  });

  test('tries each symbol server', async () => {
    const servers = await Promise.all([startSymbolServer(), startSymbolServer()]);
    try {
      const [good, page] = servers;
      page.respond = (_, response) => response.end('<html>Sign in</html>');
      const { checks } = await check({
        ...ready(),
        CHAUFFEUR_SYMBOL_SOURCES: `breakpad+${good.url} breakpad+${page.url}`,
        CHAUFFEUR_SYMBOL_PRIVATE_HOSTS: '1',
      });
      const ofServers = checks.filter(({ part }) => part === 'symbols');
      assert.deepEqual(
        ofServers.map(({ level }) => level),
        ['good', 'unsure'],
      );
      assert.match(ofServers[1]?.says ?? '', /returned a file for a name that no symbol server has/);
    } finally {
      await Promise.all(servers.map((server) => server.close()));
    }
  });

  test('finds a user who may not create tables', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const role = `reader_${process.pid}`;
    try {
      await client.query(`create role ${role} login password 'reader'`);
      const url = database.url.replace(/\/\/[^@/]*@?/, `//${role}:reader@`);
      const { problems } = await check({ ...ready(), DATABASE_URL: url });
      assert.deepEqual(
        problems.map(({ says }) => says),
        ['The user in DATABASE_URL may not create tables.'],
      );
    } finally {
      await client.query(`drop role ${role}`);
      await client.end();
    }
  });

  test('writes, reads and deletes an object in the bucket', async (t) => {
    const s3 = await startS3();
    if (s3 === null) return t.skip(S3_MISSING);
    try {
      const bucket = { ...ready(), ...s3.env, CHAUFFEUR_BLOBS: s3.url };
      const { problems, checks } = await check(bucket);
      assert.deepEqual(problems, []);
      assert.ok(checks.some(({ part, says }) => part === 'storage' && says === 'It was deleted.'));
      const missing = await check({ ...bucket, CHAUFFEUR_BLOBS: s3.url.replace('chauffeur?', 'other?') });
      assert.deepEqual(missing.levelsOf('storage').at(-1), 'bad');
    } finally {
      await s3.stop();
    }
  });

  test('asks the scanner for its version', async (t) => {
    const clamd = await startClamd();
    if (clamd === null) return t.skip(NO_CLAMD);
    try {
      const { problems, levelsOf } = await check({ ...ready(), CHAUFFEUR_CLAMD: clamd.address });
      assert.deepEqual(problems, []);
      assert.equal(levelsOf('scanner').length, 1);
    } finally {
      await clamd.stop();
    }
  });
});

test('--version prints the version of the server', async () => {
  assert.equal((await runServerCommand({}, ['--version'])).stdout, `${VERSION}\n`);
});
