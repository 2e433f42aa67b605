// Tests what `npm run release` builds: the package for npm on the oldest Node that it supports, and the program for this
// platform, which also updates itself.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { VERSION } from '@chauffeur/contract/version';
import { bundleCommand } from '../../scripts/release/bundle-command.ts';
import { buildCommandFolder, NODE_CACHE } from '../../scripts/release/command-folder.ts';
import { buildProgram } from '../../scripts/release/executables.ts';
import { fetchNode, NODE_BINARIES } from '../../scripts/release/node-binaries.ts';
import { run } from '../../scripts/release/run.ts';
import { OLDEST_NODE } from '../setup/oldest-node.ts';
import { launch, makeFolder, type ServiceProcess, startService } from '../setup/processes.ts';
import { openStudioByCommands, readOffers, type Studio } from '../setup/studio.ts';

const HERE = NODE_BINARIES.find(({ platform }) => platform === `${process.platform}-${process.arch}`);
const SKIP = HERE?.platform === 'linux-x64' ? false : 'skipped: releases are built on Linux x64';
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64'];
const FILE = 'chauffeur-linux-x64.gz';
/** Used instead of a newer program. */
const NEWER = '#!/bin/sh\necho 99.0.0\n';

describe('a release', { skip: SKIP }, () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: ServiceProcess;
  let studio: Studio;
  /** The folder that the service hands out: a newer version than ours. */
  let offered: string;
  before(async () => {
    work = await makeFolder();
    offered = join(work.path, 'offered');
    await mkdir(offered);
    const bytes = gzipSync(NEWER);
    await writeFile(join(offered, FILE), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const files = [{ platform: 'linux-x64', name: FILE, size: bytes.length, sha256 }];
    await writeFile(join(offered, 'command.json'), JSON.stringify({ version: '99.0.0', files }));
    service = await startService(join(work.path, 'data'), { CHAUFFEUR_CLI_FOLDER: offered });
    studio = await openStudioByCommands(service);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  /** Ships a version with a program and its first arguments. */
  async function ship(version: string, program: string, args: readonly string[] = []): Promise<void> {
    const folder = join(work.path, version);
    await mkdir(join(folder, 'game'), { recursive: true });
    await writeFile(join(folder, 'game/run'), `version ${version}`);
    await chmod(join(folder, 'game/run'), 0o755);
    const steps = [
      ['genbuild', '--version', version],
      ['build', ...PLATFORM],
      ['setfiles', '--version', version, ...PLATFORM, '--files', 'game'],
      ['addfiles', '--wait'],
    ];
    for (const step of steps) {
      const { code, stderr } = await launch(program, [...args, ...step], { folder, environment: studio.environment })
        .ended;
      assert.equal(code, 0, stderr);
    }
    const offers = await readOffers(service, studio.slug);
    assert.ok(offers.some((found) => found.version === version));
  }

  test('the package for npm is one file for Node 22, with all licences, and always the same', async () => {
    const folders = ['one', 'two'].map((name) => join(work.path, name));
    for (const folder of folders) await buildCommandFolder(folder, { executables: false });
    const [one, two] = await Promise.all(folders.map((folder) => readFile(join(folder, 'chauffeur.tgz'))));
    assert.deepEqual(one, two);
    const prefix = join(work.path, 'prefix');
    await run(
      'npm',
      ['install', '--global', '--prefix', prefix, '--offline', join(folders[0]!, 'chauffeur.tgz')],
      work.path,
    );
    const installed = join(prefix, 'lib/node_modules/@chauffeur/cli');
    assert.deepEqual((await readdir(installed)).sort(), [
      'LICENSE',
      'README.md',
      'THIRD-PARTY-LICENCES.txt',
      'chauffeur.cjs',
      'package.json',
    ]);
    const licences = await readFile(join(installed, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    for (const name of ['commander', 'yaml', 'typebox']) assert.match(licences, new RegExp(`^${name} \\d`, 'm'));
    await ship('1.0.22', await fetchNode(OLDEST_NODE, NODE_CACHE), [join(installed, 'chauffeur.cjs')]);
  });

  describe('the program for this platform', () => {
    let program: string;
    before(async () => {
      assert.ok(HERE !== undefined);
      const bundle = join(work.path, 'chauffeur.cjs');
      await bundleCommand(bundle);
      await mkdir(join(work.path, 'bin'));
      program = join(work.path, 'bin/chauffeur');
      const executable = await fetchNode(HERE, NODE_CACHE);
      await writeFile(program, await buildProgram(HERE.platform, executable, bundle), { mode: 0o755 });
    });

    test('ships a build, and is not affected by settings for Node', async () => {
      const { stdout } = await launch(program, ['--version'], { environment: { NODE_OPTIONS: '--no-such-option' } })
        .ended;
      assert.equal(stdout, `${VERSION}\n`);
      await ship('1.0.26', program);
    });

    test('updates itself, unless the download is damaged', async () => {
      const environment = { SERVICE_API_URL: service.api };
      const update = () => launch(program, ['self-update'], { environment }).ended;
      await writeFile(join(offered, FILE), gzipSync('another program'));
      const damaged = await update();
      assert.equal(damaged.code, 3, damaged.stderr);
      assert.match(damaged.stderr, /the download is damaged/);
      assert.equal((await launch(program, ['--version'], { environment }).ended).stdout, `${VERSION}\n`);

      await writeFile(join(offered, FILE), gzipSync(NEWER));
      const updated = await update();
      assert.equal(updated.code, 0, updated.stderr);
      assert.equal(updated.stdout, `Updated chauffeur from ${VERSION} to 99.0.0.\n`);
      assert.deepEqual(await readdir(join(work.path, 'bin')), ['chauffeur']);
      assert.equal((await launch(program, [], { environment }).ended).stdout, '99.0.0\n');
    });
  });
});
