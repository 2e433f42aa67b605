// Tests the package for launchers, as npm installs it into an empty folder: it installs and updates a game on the oldest
// Node that it supports, and its types are complete.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '@chauffeur/contract/version';
import { Origin } from '../../packages/updater/test/setup/origin.ts';
import { NODE_CACHE } from '../../scripts/release/command-folder.ts';
import { fetchNode } from '../../scripts/release/node-binaries.ts';
import { run } from '../../scripts/release/run.ts';
import { buildUpdaterPackage } from '../../scripts/release/updater-package.ts';
import { OLDEST_NODE } from '../setup/oldest-node.ts';
import { makeFolder } from '../setup/processes.ts';

const PROGRAM = `import { install, readInstalled, update, UpdaterError, verify } from '@chauffeur/updater';
const [kind, folder, server] = process.argv.slice(2);
const platform = { os: 'linux', arch: 'x86_64' };
const result = kind === 'install'
  ? await install({ folder, address: { server, game: 'night-owls' }, platform })
  : await update({ folder });
const { changed, missing } = await verify({ folder });
const installed = await readInstalled({ folder });
const error = await install({ folder, address: { server, game: 'night-owls' }, platform }).catch((error) => error);
if (!(error instanceof UpdaterError)) throw error;
console.log(JSON.stringify({ to: result.to.version, now: installed.install.build.version, changed, missing }));
`;
const TYPED = `import { install, type Progress, type Result, update } from '@chauffeur/updater';
const onProgress = ({ phase, done, total }: Progress): string => \`\${phase} \${done}/\${total}\`;
const first: Promise<Result> = install({
  folder: 'game',
  address: { server: 'https://games.example.com', game: 'night-owls' },
  platform: { os: 'linux' },
  onProgress,
});
// @ts-expect-error: the folder is missing
update({});
console.log(first);
`;

test('the package for launchers installs and updates a game from an empty folder', async (t) => {
  const work = await makeFolder();
  t.after(() => work.remove());
  const files = ['one', 'two'].map((name) => join(work.path, `${name}.tgz`));
  for (const file of files) await buildUpdaterPackage(file);
  const [one, two] = await Promise.all(files.map((file) => readFile(file)));
  assert.deepEqual(one, two, 'always the same');

  const launcher = join(work.path, 'launcher');
  await mkdir(launcher);
  await writeFile(join(launcher, 'package.json'), '{"type":"module","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', files[0]!], launcher);
  assert.deepEqual(await readdir(join(launcher, 'node_modules')).then((names) => names.filter((n) => n[0] !== '.')), [
    '@chauffeur',
  ]);
  const installed = join(launcher, 'node_modules/@chauffeur/updater');
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { version: string };
  assert.equal(version, VERSION);
  assert.match(await readFile(join(installed, 'THIRD-PARTY-LICENCES.txt'), 'utf8'), /^yauzl \d/m);

  const node =
    process.platform === 'linux' && process.arch === 'x64'
      ? await fetchNode(OLDEST_NODE, NODE_CACHE)
      : process.execPath;
  const origin = await new Origin().start();
  t.after(() => origin.stop());
  origin.patches = true;
  await writeFile(join(launcher, 'launcher.js'), PROGRAM);
  const launch = async (kind: string) =>
    JSON.parse(await run(node, ['launcher.js', kind, join(work.path, 'game'), origin.url], launcher));
  const content = Buffer.from('level '.repeat(20_000));
  origin.release({ 'bin/game': 'run', 'data/level.dat': content });
  assert.deepEqual(await launch('install'), { to: '1.0', now: '1.0', changed: [], missing: [] });
  origin.release({ 'bin/game': 'run faster', 'data/level.dat': Buffer.concat([content, Buffer.from('end')]) });
  assert.deepEqual(await launch('update'), { to: '1.1', now: '1.1', changed: [], missing: [] });
  assert.ok(origin.asked.includes('patches'));

  await writeFile(join(launcher, 'launcher.ts'), TYPED);
  const types = join(import.meta.dirname, '../../node_modules/@types');
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--skipLibCheck', 'false'];
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  await run(tsc, [...options, '--types', 'node', '--typeRoots', types, 'launcher.ts'], launcher);
});
