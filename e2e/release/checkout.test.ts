// A server that runs from a checkout offers the command for its own platform as a program too.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { VERSION } from '@chauffeur/contract/version';
import { createTestDatabase } from '../../packages/server/test/setup/database.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { ownPlatform } from '../../scripts/release/executables.ts';
import { launch, makeFolder, startService } from '../setup/processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMMAND = join(ROOT, 'packages/cli/dist');
const SCRIPT = join(ROOT, 'scripts/build-own-program.ts');
const PLATFORM = ownPlatform();
const SKIP = PLATFORM === null && 'skipped: this Node cannot build programs';

describe('a checkout', { skip: SKIP }, () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  before(async () => {
    work = await makeFolder();
  });
  after(() => work.remove());

  const buildIn = (folder: string) => launch(process.execPath, [SCRIPT, folder], { environment: {} }).ended;
  const describeFolder = async (folder: string) => JSON.parse(await readFile(join(folder, 'command.json'), 'utf8'));

  /** A folder of the command with only the package for npm. */
  async function makeCommandFolder(name: string): Promise<string> {
    const folder = join(work.path, name);
    await mkdir(folder);
    await copyFile(join(COMMAND, 'chauffeur.tgz'), join(folder, 'chauffeur.tgz'));
    const { version, files } = await describeFolder(COMMAND);
    const npm = files.filter(({ platform }: { platform: string }) => platform === 'npm');
    await writeFile(join(folder, 'command.json'), JSON.stringify({ version, files: npm }));
    return folder;
  }

  test('adds the program once, even if several servers start at the same time, and leaves nothing else', async () => {
    const folder = await makeCommandFolder('once');
    const results = await Promise.all([buildIn(folder), buildIn(folder)]);
    for (const { code, stderr } of results) assert.equal(code, 0, stderr);
    const file = `chauffeur-${PLATFORM}.gz`;
    assert.deepEqual((await readdir(folder)).sort(), ['SHA256SUMS', file, 'chauffeur.tgz', 'command.json']);
    const { files } = await describeFolder(folder);
    assert.deepEqual(
      files.map(({ platform }: { platform: string }) => platform),
      ['npm', PLATFORM],
    );
    assert.match(await readFile(join(folder, 'SHA256SUMS'), 'utf8'), new RegExp(`^${files[1].sha256}  ${file}$`, 'm'));
    const { mtimeMs } = await stat(join(folder, file));
    assert.equal((await buildIn(folder)).code, 0);
    assert.equal((await stat(join(folder, file))).mtimeMs, mtimeMs);
  });

  test('is not blocked by a build that was killed', async () => {
    const folder = await makeCommandFolder('killed');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await writeFile(join(folder, 'building.lock'), String(pid));
    assert.equal((await buildIn(folder)).code, 0);
    assert.equal((await describeFolder(folder)).files.length, 2);
  });

  test('offers it at /cli, and its script installs it without Node', async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const program = join(ROOT, 'packages/server/src/main.ts');
    const service = await startService(join(work.path, 'data'), { DATABASE_URL: database.url }, { program });
    t.after(() => service.stop());
    await until(async () => {
      const { data } = (await (await fetch(`${service.api}/public/cli`)).json()) as {
        data: { files: { platform: string }[] };
      };
      return data.files.some(({ platform }) => platform === PLATFORM);
    });
    const script = join(work.path, 'install.sh');
    await writeFile(script, await (await fetch(`${service.url}/cli/install.sh`)).text());
    const environment = { HOME: work.path, PATH: '/usr/bin:/bin', CHAUFFEUR_INSTALL_DIR: join(work.path, 'bin') };
    const { code, stderr } = await launch('sh', [script], { environment }).ended;
    assert.equal(code, 0, stderr);
    const { stdout } = await launch(join(work.path, 'bin/chauffeur'), ['--version'], { environment }).ended;
    assert.equal(stdout, `${VERSION}\n`);
  });
});
