import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readDumpFixture } from './setup/crash-dumps.ts';
import { makeGame, request, signIn, startServer, type TestServer } from './setup/server.ts';
import { smallZip } from './setup/uploads.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const require = createRequire(import.meta.url);

let server: TestServer;
let folder: string;
/** The document as the server serves it. */
let file: string;

before(async () => {
  server = await startServer({ role: 'api' });
  folder = await mkdtemp(join(tmpdir(), 'chauffeur-openapi-'));
  file = join(folder, 'openapi.json');
  await writeFile(file, await (await fetch(`${server.api}/openapi.json`)).text());
});
after(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the OpenAPI document', () => {
  test('passes the recommended rules of Redocly without errors or warnings', async () => {
    const cli = join(ROOT, 'node_modules/.bin/redocly');
    const arguments_ = [cli, 'lint', file, '--config', join(ROOT, 'redocly.yaml'), '--format', 'json'];
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await run(process.execPath, arguments_, { env }).catch((failure) => failure);
    const { totals, problems } = JSON.parse(stdout);
    assert.deepEqual(problems, []);
    assert.deepEqual({ errors: totals.errors, warnings: totals.warnings }, { errors: 0, warnings: 0 });
  });

  test('passes openapi-spec-validator', async (t) => {
    const version = await run('openapi-spec-validator', ['--version']).catch(() => null);
    if (version === null) {
      if (process.env.CI === 'true') throw new Error('openapi-spec-validator is missing; install it with pip');
      return t.skip('openapi-spec-validator is not installed');
    }
    const { stdout } = await run('openapi-spec-validator', [file]);
    assert.match(stdout, /: OK\s*$/);
  });
});

/** The code blocks in a language on the page about generated clients. */
async function blocksOf(language: string): Promise<string[]> {
  const page = await readFile(join(ROOT, 'docs/openapi.md'), 'utf8');
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}

/** Generates the client and adds the program, both as the page describes. */
async function writeProgram(): Promise<void> {
  const [settings = '', program = ''] = await blocksOf('ts');
  assert.match(settings, /https:\/\/games\.example\.com\/api\/v1\/openapi\.json/);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const ours = settings.replace('https://games.example.com/api/v1', server.api);
  await writeFile(join(folder, 'openapi-ts.config.ts'), ours);
  const generator = join(require.resolve('@hey-api/openapi-ts/package.json'), '../bin/run.js');
  await run(process.execPath, [generator], { cwd: folder });
  await writeFile(join(folder, 'program.ts'), program);
}

async function checkTypes(): Promise<void> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await run(compiler, ['-p', folder]).catch((failure) => failure);
  assert.equal(stdout, '');
}

test('a client from a public generator ships a build, reports a crash with its dump and sends events', async () => {
  const game = await makeGame(server);
  await writeProgram();
  await checkTypes();
  const dump = readDumpFixture('null_deref_inline');
  await writeFile(join(folder, 'game.zip'), smallZip());
  await writeFile(join(folder, 'crash.dmp'), dump);
  const env = {
    ...process.env,
    SERVICE_API_URL: server.api,
    SERVICE_ACCESS_TOKEN: game.keyHeaders['x-access-token'],
    SERVICE_SECRET_KEY: game.keyHeaders['x-secret-key'],
  };
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: folder, env });
  const [, crashId] = /^reported (\S+)$/m.exec(stdout) ?? [];
  assert.match(stdout, /^1\.4\.0 processing game\.zip$/m);
  assert.match(stdout, /^accepted 2$/m);

  const headers = await signIn(server, game.owner);
  const { body } = await request(`${server.api}/games/${game.uid}/crashes/${crashId}`, { headers });
  assert.equal(body.data.user_message, 'I opened the door');
  const link = await request(`${server.api}/games/${game.uid}/crashes/${crashId}/downloads`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"kind":"dump"}',
  });
  const stored = await fetch(link.body.data.url);
  assert.deepEqual(Buffer.from(await stored.arrayBuffer()), dump);
});
