// Runs the commands of the guides with a real server, as they are in docs/ apart from addresses and ids.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/setup/database.ts';
import { S3_MISSING, type S3Server, startS3 } from '../../packages/server/test/setup/s3.ts';
import { addSymbols } from '../../packages/server/test/setup/symbols.ts';
import { type GuideCommands, readGuideCommands } from '../setup/guide-commands.ts';
import { GUIDE_PLANS } from '../setup/guide-plan.ts';
import { handOutSources } from '../setup/offered-command.ts';
import {
  type Environment,
  launch,
  makeFolder,
  type Result,
  type ServiceProcess,
  startService,
} from '../setup/processes.ts';
import { openStudioByCommands, readOffers, type Studio } from '../setup/studio.ts';

const ROOT = join(import.meta.dirname, '../..');
const FIXTURES = join(ROOT, 'packages/server/test/fixtures/crashes');
const PROGRAMS = {
  chauffeur: join(ROOT, 'packages/cli/src/main.ts'),
  'chauffeur-server': join(ROOT, 'packages/server/src/main.ts'),
  // The client of PostgreSQL may not be installed.
  psql: join(import.meta.dirname, '../setup/psql.ts'),
};
const GAME = 'small-walk';
const blocks = await readGuideCommands();

describe('the commands of the guides', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: ServiceProcess;
  let studio: Studio;
  let s3: S3Server | null;
  const databases: TestDatabase[] = [];
  /** What the guides expect to be set. Some blocks add to it. */
  let variables: Environment;
  before(async () => {
    work = await makeFolder();
    const offered = join(work.path, 'offered');
    await handOutSources(offered);
    await addPrograms(join(work.path, 'bin'));
    [s3, service] = await Promise.all([
      startS3(),
      startService(join(work.path, 'data'), {
        CHAUFFEUR_CLI_FOLDER: offered,
        DATABASE_URL: await addDatabase({ empty: false }),
      }),
    ]);
    studio = await openStudioByCommands(service, 'Small Walk');
    assert.equal(studio.slug, GAME);
    variables = { ...(await prepareGame()), ...s3?.env };
  });
  after(async () => {
    await service?.stop();
    await s3?.stop();
    await Promise.all([work?.remove(), ...databases.map((database) => database.drop())]);
  });

  async function addDatabase(options: { empty: boolean }): Promise<string> {
    const database = await createTestDatabase(options);
    databases.push(database);
    return database.url;
  }

  async function addPrograms(folder: string): Promise<void> {
    await mkdir(folder);
    for (const [name, path] of Object.entries(PROGRAMS)) {
      await writeFile(join(folder, name), `#!/bin/sh\nexec '${process.execPath}' '${path}' "$@"\n`);
      await chmod(join(folder, name), 0o755);
    }
  }

  /** Ships a web build, and uploads symbols for it. */
  async function prepareGame(): Promise<Environment> {
    const folder = await createFolder('prepared');
    const push = 'chauffeur push dist/web --version 0.9.0 --os web --arch wasm32 --json';
    const { stdout } = await runBash(push, folder, studio.environment);
    const { build_id: buildId } = JSON.parse(stdout) as { build_id: string };
    const symbols = await readFile(join(folder, 'game.sym'));
    await addSymbols(service, studio, buildId, symbols);
    const ask = askAs(service, studio.session);
    const token = await ask<{ symbols_url: string }>('POST', `/games/${studio.gameUid}/symbol-token`);
    return {
      ...studio.environment,
      GAME: studio.slug,
      GAME_UID: studio.gameUid,
      BUILD_ID: buildId,
      SERVICE_GAMES_BUILD_ID: buildId,
      CHECKSUM: createHash('sha256').update(symbols).digest('hex'),
      TOKEN: studio.environment.SERVICE_ACCESS_TOKEN ?? '',
      VERSION: '1.1.0',
      SYMBOLS_URL: token.symbols_url,
      SESSION: studio.session.cookie,
      DEVICE_UID: '0b51a2c8',
    };
  }

  /** Creates a folder with everything that the commands read. */
  async function createFolder(name: string): Promise<string> {
    const folder = join(work.path, name);
    for (const os of ['windows', 'linux', 'web'])
      await cp(join(ROOT, 'examples/tiny-game'), join(folder, 'dist', os), { recursive: true });
    await mkdir(join(folder, '.local/share/bash-completion/completions'), { recursive: true });
    await mkdir(join(folder, '.config/fish/completions'), { recursive: true });
    await mkdir(join(folder, 'symbols'));
    await copyFile(join(FIXTURES, 'null_deref_inline.sym'), join(folder, 'game.sym'));
    await copyFile(join(FIXTURES, 'null_deref_inline.sym'), join(folder, 'symbols/game.sym'));
    await copyFile(join(FIXTURES, 'null_deref_inline.dmp'), join(folder, 'crash.dmp'));
    await writeFile(join(folder, 'project.godot'), 'config_version=5\n\n[application]\n\nconfig/name="Small Walk"\n');
    await writeFile(join(folder, 'game.log'), 'level: garage\n');
    await writeFile(join(folder, 'game.c'), 'int main(void) { return 0; }\n');
    // The packages are for npx and the chart.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await symlink(join(ROOT, 'ops'), join(folder, 'ops'));
    await symlink(service.dataFolder, join(folder, 'data'));
    // A response with an error must not count as success.
    await writeFile(join(folder, '.curlrc'), 'fail\n');
    return folder;
  }

  function runBash(script: string, folder: string, environment: Environment): Promise<Result> {
    const home = { HOME: folder, CURL_HOME: folder, PATH: `${join(work.path, 'bin')}:${process.env.PATH}` };
    const settings = { ...service.environment, ...environment, ...home };
    return launch('bash', ['-euo', 'pipefail', '-c', script], { folder, environment: settings }).ended;
  }

  /** Fills in what readers fill in. */
  function fill(text: string): string {
    const backups = join(work.path, 'backups');
    return (
      text
        .replaceAll('https://games.example.com', service.url)
        .replaceAll(/(?<![$\w])GAME_UID/g, studio.gameUid)
        .replaceAll(/(?<![$\w])BUILD_ID/g, variables.BUILD_ID ?? '')
        // Only one page creates this account.
        .replaceAll('you@example.com', text.includes('user create') ? 'you@example.com' : studio.email)
        .replaceAll('/opt/chauffeur-next/node_modules/.bin/', '')
        .replaceAll('http://127.0.0.1:4000', service.url)
        .replaceAll('/var/lib/chauffeur', service.dataFolder)
        .replaceAll('/mnt/backups/chauffeur', backups)
        .replaceAll(
          /'s3:\/\/([\w/]+)\?region=eu-central-1'/g,
          (_, name: string) => `'${s3?.url.replace('?', `/${name}?`)}'`,
        )
        .replaceAll('2026-11-30T18:00:00Z', new Date().toISOString())
    );
  }

  const pages = Map.groupBy(blocks, ({ page }) => page);
  for (const [page, own] of pages) {
    const runnable = own.filter(({ name }) => 'run' in (GUIDE_PLANS[name] ?? {}));
    if (runnable.length === 0) continue;
    test(`of ${page}.md work`, async (t) => {
      const folder = await createFolder(page);
      const registered = new Map<string, string>();
      for (const block of runnable) {
        const missing = await findMissing(block);
        if (missing === null) await checkIds(block, await runBlock(block, folder), folder, registered);
        else t.diagnostic(missing);
      }
    });
  }

  /** Says which program a block needs that isn't installed. */
  async function findMissing({ name, text }: GuideCommands): Promise<string | null> {
    if (text.includes('s3://') && s3 === null) return S3_MISSING;
    const plan = GUIDE_PLANS[name];
    if (plan === undefined || !('needs' in plan)) return null;
    const { code } = await launch('sh', ['-c', `command -v ${plan.needs}`], { environment: {} }).ended;
    if (code === 0) return null;
    if (process.env.CI === 'true') throw new Error(`${plan.needs} not found; install it`);
    return `skipped: ${plan.needs} not found`;
  }

  /**
   * Checks that the id of a registered build is in the file that the game reads, and that a later push uploads into this
   * build. `registered` has the ids of the page by version and platform.
   */
  async function checkIds(
    { name, text }: GuideCommands,
    output: string,
    folder: string,
    registered: Map<string, string>,
  ): Promise<void> {
    const [identity] = / --version \S+ --os \w+ --arch \w+/.exec(text) ?? [];
    const [, file] = / --write (\S+)/.exec(text) ?? [];
    const [, written] = /^SERVICE_GAMES_BUILD_ID=(\S+)$/m.exec(output) ?? [];
    const [, pushed] = /^build_id=(\S+)$/m.exec(output) ?? [];
    if (file !== undefined) {
      assert.ok(written !== undefined && identity !== undefined, name);
      assert.ok((await readFile(join(folder, file), 'utf8')).includes(written), name);
      registered.set(identity, written);
    }
    const expected = registered.get(identity ?? '');
    if (pushed !== undefined && expected !== undefined) assert.equal(pushed, expected, name);
  }

  async function runBlock(block: GuideCommands, folder: string): Promise<string> {
    const plan = GUIDE_PLANS[block.name];
    assert.ok(plan !== undefined && 'run' in plan);
    const text = plan.run === true ? block.text : plan.run(block.text);
    const [, file] = / -d @(\S+\.json)/.exec(text) ?? [];
    if (file !== undefined) await writeFile(join(folder, file), fill(block.json ?? ''));
    // Each restore needs an empty installation.
    const scripts = text.startsWith('chauffeur-server restore') ? text.split('\n') : [text];
    let output = '';
    for (const [index, script] of scripts.entries()) {
      const own: Environment =
        scripts.length > 1
          ? { CHAUFFEUR_DATA: join(work.path, `restored-${index}`), DATABASE_URL: await addDatabase({ empty: true }) }
          : {};
      const given = { ...variables, ...(await readFileUid()), ...own };
      const { code, stdout, stderr } = await runBash(fill(script), folder, given);
      assert.equal(code, 0, `${block.name}\n${stdout}\n${stderr}`);
      output += stdout;
      if (block.text.includes('has_dump') || block.text.includes('@report.json')) readUploadUrls(stdout);
    }
    return output;
  }

  /** The uid of the web build that players get, which blocks of commands replace. */
  async function readFileUid(): Promise<Environment> {
    const offer = (await readOffers(service, GAME)).find(({ os }) => os === 'web');
    return { FILE_UID: offer?.file.file_uid ?? '' };
  }

  /** The next block of the page sends files to the URLs in this response. */
  function readUploadUrls(response: string): void {
    const { data } = JSON.parse(response) as { data: { uploads: Record<'dump' | 'log', { url: string }> } };
    variables = { ...variables, DUMP_URL: data.uploads.dump.url, LOG_URL: data.uploads.log.url };
  }
});
