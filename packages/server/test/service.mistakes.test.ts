// Mistakes that operators often make: the server says in a sentence what is wrong and what to do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './setup/database.ts';
import { urlOfDatabase } from './setup/database-url.ts';
import { type CommandEnvironment, runServerCommand } from './setup/server-command.ts';

describe('a server that cannot start', () => {
  let database: TestDatabase;
  let folder: string;
  before(async () => {
    database = await createTestDatabase({ empty: true });
    folder = await mkdtemp(join(tmpdir(), 'chauffeur-mistakes-'));
  });
  after(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** What it says; it never says it with a stack. */
  async function failureOf(environment: CommandEnvironment, args: readonly string[] = ['worker']): Promise<string> {
    const own = { CHAUFFEUR_DATA: join(folder, 'data'), CHAUFFEUR_LOG_LEVEL: 'silent', CHAUFFEUR_PORT: '0' };
    const { code, stderr } = await runServerCommand({ ...own, ...environment }, args);
    assert.equal(code, 1, stderr);
    assert.doesNotMatch(stderr, /\n\s+at |node:internal/);
    return stderr;
  }

  test('names a missing database, and how to create it', async () =>
    assert.match(
      await failureOf({ DATABASE_URL: urlOfDatabase(database.url, 'no_such_database') }),
      /^error: the database in DATABASE_URL does not exist\. Create it: createdb/,
    ));

  test('says which rights are missing in the schema public', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const name = `guest_${process.pid}`;
    await client.query(`create role ${name} login`);
    try {
      const { host, port, database: databaseName } = client;
      const url = `postgresql://${name}@/${databaseName}?host=${encodeURIComponent(host)}&port=${port}`;
      assert.match(await failureOf({ DATABASE_URL: url }), /may not create tables in the schema public\..*grant all/);
    } finally {
      await client.query(`drop role ${name}`);
      await client.end();
    }
  });

  test('says that PostgreSQL does not offer TLS', async () => {
    const server = createServer((socket) => {
      // The answer of a PostgreSQL without TLS to an SSLRequest (PostgreSQL documentation, "Message Flow").
      socket.on('error', () => undefined).once('data', () => socket.end('N'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const url = `postgresql://games:secret-word@127.0.0.1:${port}/games?sslmode=require`;
      const said = await failureOf({ DATABASE_URL: url });
      assert.match(said, /does not offer TLS/);
      assert.doesNotMatch(said, /secret-word/);
    } finally {
      server.close();
    }
  });

  for (const [mark, password] of [
    ['#', 'quite#secret'],
    ['/', 'quite/secret'],
    ['@', 'quite@secret'],
    ['?', 'quite?secret'],
    ['%', 'quite%secret'],
    [':', 'quite:secret'],
  ])
    test(`repeats no piece of a password with ${mark} in it, and says how to encode it`, async () => {
      const said = await failureOf({ DATABASE_URL: `postgresql://games:${password}@127.0.0.1:1/games` });
      assert.doesNotMatch(said, /quite|secret/);
      assert.match(said, /DATABASE_URL|a URL in the settings/);
    });

  test('notices a port in use before it creates a database', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const data = join(folder, 'busy');
    try {
      const said = await failureOf({ CHAUFFEUR_PORT: String(port), CHAUFFEUR_DATA: data }, ['start']);
      assert.match(said, new RegExp(`^error: 127\\.0\\.0\\.1:${port} is in use\\.`));
      await assert.rejects(access(join(data, 'postgres')));
    } finally {
      server.close();
    }
  });

  test('says that S3 has no credentials', async () => {
    const environment = {
      DATABASE_URL: database.url,
      CHAUFFEUR_BLOBS: 's3://builds?endpoint=http://127.0.0.1:1&region=eu-central-1',
      // Without it, the SDK asks an address of the cloud, which takes seconds.
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
    };
    assert.match(await failureOf(environment), /S3 storage has no valid credentials\. Set AWS_ACCESS_KEY_ID/);
  });

  test('names the file where it needs a folder', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    assert.match(await failureOf({ CHAUFFEUR_DATA: join(file, 'data') }), /is a file where a folder is needed/);
  });

  test('says which page of the operator has no file that can be shown, and why', async () => {
    const write = async (name: string, content: string | Buffer) => {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    };
    await mkdir(join(folder, 'folder.md'));
    for (const [path, reason] of [
      [join(folder, 'missing.md'), 'does not exist'],
      [join(folder, 'folder.md'), 'is a folder'],
      [await write('empty.md', ' \n'), 'is empty'],
      [await write('latin.md', Buffer.from('Caf\xe9', 'latin1')), 'is not text in UTF-8'],
      [await write('long.md', 'a'.repeat(300_000)), 'is larger than 256 KiB'],
    ] as const) {
      const environment = { DATABASE_URL: database.url, CHAUFFEUR_PRIVACY_DE: path };
      assert.ok(
        (await failureOf(environment, ['api'])).startsWith(`error: CHAUFFEUR_PRIVACY_DE: ${path} ${reason}`),
        path,
      );
    }
  });

  test('warns about names that are not settings, and about quotes, without the values', async () => {
    const { stderr } = await runServerCommand(
      {
        CHAUFFEUR_DATA: join(folder, 'file', 'data'),
        CHAUFFEUR_PUBLIC_URI: 'https://wrong.example',
        CHAUFFEUR_OIDC_NAME: '"Studio"',
        CHAUFFEUR_PORT: '0',
      },
      ['worker'],
    );
    const lines = stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line).msg);
    assert.deepEqual(
      [
        lines.some((line) => /CHAUFFEUR_PUBLIC_URI is not a setting.*CHAUFFEUR_PUBLIC_URL\?/.test(line)),
        lines.some((line) => /CHAUFFEUR_OIDC_NAME is in quotes/.test(line)),
      ],
      [true, true],
    );
    assert.doesNotMatch(stderr, /wrong\.example|Studio/);
  });
});

describe('migrate --check', () => {
  test('says which database it looked at, without the password', async () => {
    const database = await createTestDatabase();
    try {
      const { stdout } = await runServerCommand({ DATABASE_URL: database.url }, ['migrate', '--check']);
      const name = /\/(test_\w+)/.exec(database.url)?.[1];
      assert.match(stdout, new RegExp(`^Checked ${name} on `));
    } finally {
      await database.drop();
    }
  });

  test('fails without settings, and creates nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chauffeur-check-'));
    try {
      const { code, stderr } = await runServerCommand({ CHAUFFEUR_DATA: folder, DATABASE_URL: '' }, [
        'migrate',
        '--check',
      ]);
      assert.equal(code, 1);
      assert.match(stderr, /^error: there is no database to check: DATABASE_URL is not set/);
      await assert.rejects(access(join(folder, 'postgres')));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
