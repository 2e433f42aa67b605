// Tests the real command with the real server: shipping a build, with the interruptions that happen in CI. With
// CHAUFFEUR_TEST_CLUSTER=1, the server is a cluster of four processes behind nginx.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { matchPage } from '@chauffeur/contract/pages';
import { askAs } from '../packages/server/test/setup/api-calls.ts';
import { EICAR, NO_CLAMD, type RunningClamd, startClamd } from '../packages/server/test/setup/clamd.ts';
import { until } from '../packages/server/test/setup/until.ts';
import { NO_CLUSTER, ON_CLUSTER, startCluster } from './setup/cluster.ts';
import {
  type Environment,
  makeFolder,
  type Result,
  runCommand,
  type Service,
  spawnCommand,
  startService,
} from './setup/processes.ts';
import { openStudioByCommands, readOffers, type Studio } from './setup/studio.ts';
import { downloadSum } from './setup/uploads.ts';

const MIB = 1024 * 1024;
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64'];

describe('shipping with the chauffeur command', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let clamd: RunningClamd | null;
  let service: Service;
  let kill: () => Promise<void>;
  let stop: () => Promise<unknown>;
  let studio: Studio;
  before(async () => {
    [work, clamd] = await Promise.all([makeFolder(), startClamd()]);
    const settings: Environment = clamd === null ? {} : { CHAUFFEUR_CLAMD: clamd.address };
    await (ON_CLUSTER ? serveCluster(settings) : serve(settings));
    studio = await openStudioByCommands(service);
  });
  after(async () => {
    await stop?.();
    await clamd?.stop();
    await work?.remove();
  });

  async function serve(settings: Environment): Promise<void> {
    let process = await startService(join(work.path, 'data'), settings);
    service = process;
    stop = () => process.stop();
    kill = async () => {
      await process.kill();
      service = process = await startService(join(work.path, 'data'), service.environment);
    };
  }

  async function serveCluster(settings: Environment): Promise<void> {
    const cluster = await startCluster(settings, { scan: false });
    if (cluster === null) throw new Error(NO_CLUSTER);
    service = cluster;
    ({ killApi: kill, stop } = cluster);
  }

  const run = (folder: string, ...args: string[]) => runCommand(args, { environment: studio.environment, folder });

  function requireOk({ code, stdout, stderr }: Result): string {
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    return stdout;
  }

  /** Creates a folder with build.yml and addfiles.yml for these files, and registers the build. */
  async function prepare(version: string, files: Record<string, Uint8Array | string>): Promise<string> {
    const folder = join(work.path, version);
    await mkdir(join(folder, 'game', 'saves'), { recursive: true });
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, 'game', name), content);
    requireOk(await run(folder, 'genbuild', '--version', version, '--title', `Version ${version}`));
    requireOk(await run(folder, 'addchangelog', '--title', 'New', '--description', 'Everything'));
    requireOk(await run(folder, 'build', '--asset', 'build.yml', ...PLATFORM));
    requireOk(await run(folder, 'setfiles', '--version', version, ...PLATFORM, '--files', 'game'));
    return folder;
  }

  async function offered(version: string) {
    const offers = await readOffers(service, studio.slug);
    return offers.find((offer) => offer.version === version);
  }

  test('a small build goes live, and players download identical bytes', async () => {
    const folder = await prepare('1.0.0', { 'game.txt': 'play', 'größe.txt': 'umlaut' });
    const uploaded = JSON.parse(
      requireOk(await run(folder, 'addfiles', '--asset', 'addfiles.yml', '--wait', '--json')),
    );
    assert.match(uploaded.file_uid, /^[0-9a-f-]{36}$/);
    const offer = await offered('1.0.0');
    assert.equal(offer?.file.checksum, uploaded.checksum);
    assert.equal(await downloadSum(offer?.download_url ?? ''), uploaded.checksum);
    const { data } = (await (await fetch(offer?.provenance_url ?? '')).json()) as {
      data: { entries: { path: string }[] };
    };
    assert.deepEqual(data.entries.map(({ path }) => path).sort(), ['game.txt', 'größe.txt', 'saves/']);
  });

  test('push ships a folder in one step, and prints the page of the build', async () => {
    const folder = join(work.path, 'pushed');
    await mkdir(folder);
    await writeFile(join(folder, 'game.txt'), 'play');
    const flags = ['--version', '1.0.5', ...PLATFORM, '--title', 'Pushed', '--changelog', 'New: Everything'];
    const pushed = JSON.parse(requireOk(await run(work.path, 'push', 'pushed', ...flags, '--json')));
    const offer = await offered('1.0.5');
    assert.equal(offer?.file.checksum, pushed.checksum);
    assert.equal(pushed.page, `${service.url}/dev/${studio.slug}/builds/${pushed.build_id}`);
    assert.equal(matchPage(new URL(pushed.page).pathname)?.name, 'build');
    const { builds } = JSON.parse(requireOk(await run(folder, 'builds', 'list', '--version', '1.0.5', '--json')));
    assert.equal(builds[0].title, 'Pushed');
    assert.deepEqual(builds[0].changelog_items, [{ title: 'New', description: 'Everything' }]);
  });

  test('pushing the same folder again uploads nothing, until another one was pushed', async () => {
    const folder = join(work.path, 'again');
    await mkdir(folder);
    const push = async (content: string) => {
      await writeFile(join(folder, 'game.txt'), content);
      return JSON.parse(requireOk(await run(work.path, 'push', 'again', '--version', '1.0.6', ...PLATFORM, '--json')));
    };
    const first = await push('play');
    const second = await push('play');
    assert.deepEqual([first.uploaded, second.uploaded, second.file_uid], [true, false, first.file_uid]);
    assert.equal((await push('play more')).uploaded, true);
    const last = await push('play');
    assert.deepEqual([last.uploaded, last.checksum], [true, first.checksum]);
    assert.equal((await offered('1.0.6'))?.file.file_uid, last.file_uid);
  });

  test("build prints the ids for the game's settings, and the same ids when repeated", async () => {
    const folder = await prepare('1.1.0', { 'game.txt': 'play' });
    const first = requireOk(await run(folder, 'build', '--asset', 'build.yml', ...PLATFORM));
    assert.match(first, new RegExp(`^SERVICE_GAMES_APP_ID=${studio.gameUid}$`, 'm'));
    const buildId = /^SERVICE_GAMES_BUILD_ID=([0-9a-f-]{36})$/m.exec(first)?.[1];
    const json = JSON.parse(requireOk(await run(folder, 'build', '--asset', 'build.yml', ...PLATFORM, '--json')));
    assert.equal(json.build_id, buildId);
    const listed = JSON.parse(requireOk(await run(folder, 'builds', 'list', '--version', '1.1.0', '--json')));
    assert.equal(listed.builds[0].build_id, buildId);
    assert.deepEqual(listed.builds[0].changelog_items, [{ title: 'New', description: 'Everything' }]);
    assert.equal(JSON.parse(requireOk(await run(folder, 'info', '--json'))).app_id, studio.gameUid);
  });

  test('a game that was compiled with the id of its build is heard before and after it is pushed', async () => {
    const folder = join(work.path, 'compiled');
    await mkdir(join(folder, 'game'), { recursive: true });
    const token = await askAs(service, studio.session)<{ access_token: string; secret_key: string }>(
      'POST',
      `/games/${studio.gameUid}/upload-tokens`,
      { name: 'CI', scopes: ['builds'], expires_in_days: 1 },
    );
    const environment = {
      ...studio.environment,
      ...{ SERVICE_ACCESS_TOKEN: token.access_token, SERVICE_SECRET_KEY: token.secret_key },
    };
    const runInCi = (...args: string[]) => runCommand(args, { environment, folder });
    const identity = ['--version', '1.2.0', ...PLATFORM];
    const register = ['build', ...identity, '--write', 'game/chauffeur.json', '--json'];
    const jobs = await Promise.all([runInCi(...register), runInCi(...register), runInCi(...register)]);
    const [first, ...others] = jobs.map((job) => JSON.parse(requireOk(job)));
    for (const { build_id } of others) assert.equal(build_id, first.build_id);

    const ids = JSON.parse(await readFile(join(folder, 'game/chauffeur.json'), 'utf8'));
    assert.deepEqual([ids.app_id, ids.build_id], [studio.gameUid, first.build_id]);
    const report = async (url: string, build: string, body: object) => {
      const address = `${url}?app_id=${ids.app_id}&build_id=${build}`;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
      const { error } = (await response.json()) as { error?: { code: number } };
      return error?.code ?? response.status;
    };
    const crash = { message: 'It fell over.' };
    const events = { events: [{ event: 'boot_ok', device_uid: '0b51a2c8', event_id: 'compiled-1', ms: 2100 }] };
    assert.deepEqual(
      [await report(ids.crashes_url, ids.build_id, crash), await report(ids.events_url, ids.build_id, events)],
      [201, 202],
    );
    assert.equal(await report(ids.crashes_url, 'BUILD_ID', crash), 4030);

    const pushed = JSON.parse(requireOk(await runInCi('push', 'game', ...identity, '--json')));
    assert.equal(pushed.build_id, first.build_id);
    assert.equal((await offered('1.2.0'))?.file.checksum, pushed.checksum);
    const again = await runInCi(...register);
    assert.deepEqual(
      [JSON.parse(requireOk(again)).has_file, JSON.parse(again.stdout).written[0].changed],
      [true, false],
    );
    assert.match(again.stderr, /already has a file/);
  });

  test('an infected build exits with code 2 and never goes live', async (t) => {
    if (clamd === null) return t.skip(NO_CLAMD);
    const folder = await prepare('6.6.6', { 'setup.exe': EICAR });
    const { code, stderr } = await run(folder, 'addfiles', '--asset', 'addfiles.yml', '--wait');
    assert.equal(code, 2);
    assert.match(stderr, /Eicar/i);
    assert.equal(await offered('6.6.6'), undefined);
  });

  test('an interrupted upload of a large build continues when the command runs again', async () => {
    const folder = await prepare('2.0.0', { 'data.pak': randomBytes(70 * MIB) });
    const first = spawnCommand(['addfiles', '--asset', 'addfiles.yml'], { environment: studio.environment, folder });
    const session = await untilSession((session) => session.current_size >= 16 * MIB);
    first.kill('SIGKILL');
    await first.ended;
    const second = await run(folder, 'addfiles', '--asset', 'addfiles.yml', '--wait', '--json');
    const { checksum } = JSON.parse(requireOk(second));
    assert.equal(checksum, session.checksum);
    assert.match(second.stderr, /continu|resum/i);
    assert.equal(await downloadSum((await offered('2.0.0'))?.download_url ?? ''), checksum);
  });

  test('an upload succeeds even if the server is killed in the middle', async () => {
    const folder = await prepare('3.0.0', { 'data.pak': randomBytes(70 * MIB) });
    const command = spawnCommand(['addfiles', '--asset', 'addfiles.yml', '--wait', '--json'], {
      environment: studio.environment,
      folder,
    });
    await untilSession((session) => session.current_size >= 16 * MIB);
    await kill();
    const result = await command.ended;
    const { checksum } = JSON.parse(requireOk(result));
    assert.equal(await downloadSum((await offered('3.0.0'))?.download_url ?? ''), checksum);
  });

  test('exit codes distinguish invalid usage, a rejected request and a network failure', async () => {
    const folder = await prepare('4.0.0', { 'game.txt': 'play' });
    assert.equal((await run(folder, 'genbuild')).code, 1);
    assert.equal((await run(folder, 'addfiles', '--asset', 'nothing.yml')).code, 1);
    const refused = await runCommand(['info'], {
      environment: { ...studio.environment, SERVICE_SECRET_KEY: 'wrong' },
      folder,
    });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /4024/);
    const json = await runCommand(['info', '--json'], {
      environment: { ...studio.environment, SERVICE_ACCESS_TOKEN: 'wrong' },
      folder,
    });
    assert.equal(JSON.parse(json.stdout).error.code, 4022);
  });

  test('no output or file contains the secret', async () => {
    const folder = await prepare('5.0.0', { 'game.txt': 'play' });
    const { stdout, stderr } = await run(folder, 'addfiles', '--asset', 'addfiles.yml', '--wait');
    const left = await Promise.all(['build.yml', 'addfiles.yml'].map((name) => readFile(join(folder, name), 'utf8')));
    for (const text of [stdout, stderr, service.output(), ...left]) {
      assert.equal(text.includes(studio.environment.SERVICE_SECRET_KEY ?? ''), false);
    }
  });

  type OpenSession = { current_size: number; checksum: string };

  /** Returns the game's open session, once it has enough bytes. */
  async function untilSession(isThere: (session: OpenSession) => boolean): Promise<OpenSession> {
    const headers = studio.keyHeaders;
    return until(async () => {
      const { data } = (await (await fetch(`${service.api}/tool/upload/sessions`, { headers })).json()) as {
        data: { sessions: OpenSession[] };
      };
      const [session] = data.sessions;
      return session !== undefined && isThere(session) && session;
    });
  }
});
