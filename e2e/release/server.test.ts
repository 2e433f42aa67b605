// Tests the package of the server that `npm run release` builds, installed with npm in a separate folder: all of its
// parts, and the command that it hands out.
import assert from 'node:assert/strict';
import { access, cp, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { addPictures, picture } from '../../packages/server/test/setup/images.ts';
import { addSymbols } from '../../packages/server/test/setup/symbols.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { run } from '../../scripts/release/run.ts';
import { buildServerPackage } from '../../scripts/release/server-package.ts';
import { reportByApi } from '../setup/crash-clients.ts';
import { launch, makeFolder, type ServiceProcess, startService } from '../setup/processes.ts';
import { openStudio, readOffers, type Studio } from '../setup/studio.ts';

const FIXTURES = join(import.meta.dirname, '../../packages/server/test/fixtures/crashes');
const GAME = join(import.meta.dirname, '../../examples/tiny-game');

describe('the package of the server', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: ServiceProcess;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    const tarball = join(work.path, 'server.tgz');
    await buildServerPackage(tarball);
    // npm may be set up to refuse the scripts of packages.
    const options = ['--prefix', join(work.path, 'server'), '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options, tarball], work.path);
    const program = join(work.path, 'server/node_modules/.bin/chauffeur-server');
    service = await startService(join(work.path, 'data'), {}, { program });
    studio = await openStudio(service);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  /** Runs the command that npm installed from the server. */
  async function chauffeur(...args: string[]): Promise<string> {
    const program = join(work.path, 'prefix/bin/chauffeur');
    const { code, stdout, stderr } = await launch(program, args, { folder: work.path, environment: studio.environment })
      .ended;
    assert.equal(code, 0, stderr);
    return stdout;
  }

  test('says how to create the first account, and not to run npx', () => {
    assert.match(service.output(), new RegExp(`Open this link, which works once:\\n +${service.url}/setup#code=`));
    assert.match(service.output(), /Or create it with a command: chauffeur-server admin user create --help/);
    assert.doesNotMatch(service.output(), /npx|npm run/);
  });

  test('ends, with its database, if a part of it is missing', async () => {
    const modules = join(work.path, 'server/node_modules');
    await rename(join(modules, 'sharp'), join(modules, 'not-sharp'));
    try {
      const data = join(work.path, 'other-data');
      const environment = { CHAUFFEUR_DATA: data, CHAUFFEUR_PORT: '0' };
      const program = join(modules, '.bin/chauffeur-server');
      const { code, stderr } = await launch(process.execPath, [program, 'start'], { environment }).ended;
      assert.equal(code, 1);
      assert.match(stderr, /sharp/);
      // PostgreSQL removes it when it has stopped.
      await assert.rejects(access(join(data, 'postgres/postmaster.pid')), { code: 'ENOENT' });
    } finally {
      await rename(join(modules, 'not-sharp'), join(modules, 'sharp'));
    }
  });

  test('has the website and its documentation', async () => {
    for (const path of ['/', '/docs/crashes', '/cli']) {
      const response = await fetch(service.url + path, { headers: { accept: 'text/html' } });
      assert.equal(response.status, 200);
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await response.text())?.[1];
      assert.equal((await fetch(`${service.url}${script}`)).status, 200);
    }
  });

  test('hands out the command, which ships a web build that can be played', async () => {
    await run(
      'npm',
      ['install', '--global', '--prefix', join(work.path, 'prefix'), `${service.url}/cli/chauffeur.tgz`],
      work.path,
    );
    await cp(GAME, join(work.path, 'game'), { recursive: true });
    const platform = ['--os', 'web', '--arch', 'wasm32'];
    await chauffeur('genbuild', '--version', '1.0.0');
    await chauffeur('build', ...platform);
    await chauffeur('setfiles', '--version', '1.0.0', ...platform, '--files', 'game');
    await chauffeur('addfiles', '--wait');
    const [offer] = await readOffers(service, studio.slug);
    assert.equal(offer?.version, '1.0.0');
    const response = await fetch(`${service.api}/public/games/${studio.gameUid}/files/${offer?.file.file_uid}/play`);
    const { data } = (await response.json()) as { data: { fallback: { url: string } } };
    // Unlike browsers, Node finds no hosts below localhost.
    assert.match(await (await fetch(data.fallback.url)).text(), /<html/i);
  });

  test('converts images, compiles symbols and walks dumps in its threads', async () => {
    await addPictures(service, studio, 'cover', [await picture()]);
    await chauffeur('genbuild', '--version', '2.0.0', '--force');
    const built = JSON.parse(await chauffeur('build', '--os', 'linux', '--arch', 'x86_64', '--json')) as {
      build_id: string;
    };
    const [dump, symbols] = await Promise.all(
      ['dmp', 'sym'].map((type) => readFile(join(FIXTURES, `null_deref_inline.${type}`))),
    );
    await addSymbols(service, studio, built.build_id, symbols!);
    const target = { api: service.api, gameUid: studio.gameUid, buildId: built.build_id };
    await reportByApi(target, { app_version: '2.0.0' }, { dump: new Uint8Array(dump!), log: 'level: garage' });
    const ask = askAs(service, studio.session);
    const title = await until(
      async () => {
        const { groups } = await ask<{ groups: { title: string }[] }>('GET', `/games/${studio.gameUid}/crash-groups`);
        return groups.find((group) => group.title === 'render::measure')?.title;
      },
      () => service.output(),
    );
    assert.equal(title, 'render::measure');
  });
});
