// Tests the commands of channels with the real server: promote, rollback and channels, also in a terminal.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeFolder, runCommand, runInTerminal, startService } from './setup/processes.ts';
import { openStudioByCommands, readOffers, type Studio } from './setup/studio.ts';

const OSES = ['linux', 'windows'];

describe('channels from the command line', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: Awaited<ReturnType<typeof startService>>;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    service = await startService(join(work.path, 'data'));
    studio = await openStudioByCommands(service);
    await mkdir(join(work.path, 'game'));
    for (const version of ['1.0.0', '1.1.0'])
      for (const os of OSES) {
        await writeFile(join(work.path, 'game', 'game.txt'), `${version} ${os}`);
        const platform = ['--os', os, '--arch', 'x86_64', '--channel', 'beta'];
        const { code, stderr } = await run('push', 'game', '--version', version, ...platform);
        assert.equal(code, 0, stderr);
      }
    const { code, stderr } = await run('promote', '1.0.0');
    assert.equal(code, 0, stderr);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  const run = (...args: string[]) => runCommand(args, { environment: studio.environment, folder: work.path });
  const offered = async () =>
    (await readOffers(service, studio.slug)).map(({ os, version }) => `${os} ${version}`).sort();

  /** Runs the command in a terminal, and types this. Returns what it printed. */
  const inTerminal = (typed: string, ...args: string[]) =>
    runInTerminal(args, { environment: studio.environment, folder: work.path, input: `${typed}\n` });

  test('promote changes all platforms, says so, and is undone by rollback', async () => {
    const promoted = await run('promote', '1.1.0');
    assert.deepEqual([promoted.code, promoted.stderr], [0, '']);
    assert.equal(promoted.stdout, '1.1.0 is live on stable for Linux x86_64 and Windows x86_64.\n');
    assert.deepEqual(await offered(), ['linux 1.1.0', 'windows 1.1.0']);
    const { code, stdout } = await run('rollback', 'stable', '--json');
    assert.deepEqual([code, JSON.parse(stdout).channels.length], [0, 2]);
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
  });

  test('versions, status and open show the game, and change nothing', async () => {
    const versions = await run('versions', '--channel', 'stable');
    assert.equal(versions.code, 0, versions.stderr);
    assert.match(versions.stdout, /^1\.0\.0 +linux\/x86_64, windows\/x86_64 +(beta, stable|stable) +unrated +\d{4}-/m);
    assert.doesNotMatch(versions.stdout, /^1\.1\.0/m);
    const status = await run('status');
    assert.equal(status.code, 0, status.stderr);
    assert.match(status.stdout, /^stable offers 1\.0\.0 for Linux x86_64 and Windows x86_64\.$/m);
    assert.match(status.stdout, /^The newest version is 1\.1\.0, for Linux x86_64 and Windows x86_64\.$/m);
    const json = JSON.parse((await run('status', '--json')).stdout);
    assert.deepEqual([json.newest.version, json.waiting_for_scan], ['1.1.0', []]);
    const page = (await run('open', '1.1.0')).stdout.trim();
    assert.equal(page, `${service.url}/dev/${studio.slug}/version?version=1.1.0`);
    assert.equal((await run('open', 'crashes')).stdout.trim(), `${service.url}/dev/${studio.slug}/crashes`);
    assert.equal((await run('versions', '--channel', 'No channel')).code, 1);
  });

  test('flags limit a change to platforms, by their names or aliases', async () => {
    assert.equal((await run('promote', '1.1.0', '--os', 'win')).code, 0);
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.1.0']);
    const { stdout } = await run('channels');
    assert.match(stdout, /^stable +linux\/x86_64 +1\.0\.0 +\d{4}-\d\d-\d\d +never$/m);
    assert.match(stdout, /^stable +windows\/x86_64 +1\.1\.0 /m);
    assert.equal((await run('rollback', 'stable', '--os', 'windows')).code, 0);
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
  });

  test('mistakes exit with 1 or 2, name the remedy, and change nothing', async () => {
    const cases: [number, RegExp, string[]][] = [
      [1, /1\.1\.0 has no build for macos/, ['promote', '1.1.0', '--os', 'macos']],
      [1, /expires_in_hours/, ['promote', '1.1.0', '--expires-in-hours', 'soon']],
      [1, /channel/, ['promote', '1.1.0', '--channel', 'Not a channel']],
      [1, /Missing required argument/, ['promote']],
      [2, /no such version/, ['promote', '9.9.9']],
      [2, /no earlier build/i, ['rollback', 'stable']],
      [2, /offers nothing/, ['rollback', 'nightly']],
    ];
    for (const [expected, message, args] of cases) {
      const { code, stderr } = await run(...args);
      assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, message);
    }
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
  });

  test('rollout offers a version to a share of devices, and is followed and ended', async () => {
    const start = await run('rollout', 'start', '1.1.0', '--steps', '5%:4h,25%:1d,100%', '--guards', 'boot:abort');
    assert.deepEqual([start.code, start.stderr], [0, '']);
    assert.match(
      start.stdout,
      /^1\.1\.0 is offered to 5% of devices on stable for Linux x86_64 and Windows x86_64\.\n {2}id: [0-9a-f-]{36}\n$/,
    );
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
    assert.match((await run('status')).stdout, /^1\.1\.0 is offered to 5% of devices on stable for Linux x86_64 and/m);
    const status = await run('rollout', 'status');
    assert.equal(status.code, 0, status.stderr);
    assert.match(status.stdout, /^Next: In 4 hours, it goes on to 25%, unless a guard stops it\.$/m);
    assert.match(status.stdout, /^\d{4}-\d\d-\d\d \d\d:\d\d {2}Started at 5% of devices\. \(deploy key \w+\)$/m);
    assert.equal((await run('rollout', 'share', '30%')).code, 0);
    assert.match((await run('rollout', 'pause')).stdout, /is paused at 30% of devices\.$/m);
    const shown = JSON.parse((await run('rollout', 'status', '--json')).stdout);
    assert.deepEqual(
      [shown.state, shown.share, shown.guards.map(({ guard, action }: Record<string, string>) => `${guard} ${action}`)],
      ['paused', 30, ['boot abort']],
    );
    assert.equal((await run('rollout', 'resume')).code, 0);
    assert.match((await run('rollout', 'abort')).stdout, /was aborted at 30% of devices\.$/m);
    assert.match((await run('rollout', 'list')).stdout, /^1\.1\.0 +stable +aborted +30% +\d{4}-/m);
    const aborted = (await run('rollout', 'status')).stdout;
    assert.match(aborted, /^The rollout of 1\.1\.0 on stable was aborted/m);
    assert.match(aborted, /^Nothing: devices that have 1\.1\.0 are offered what stable offers\.$/m);
    assert.equal((await run('rollout', 'start', '1.1.0', '--steps', '50%', '--os', 'linux')).code, 0);
    const finished = await run('rollout', 'finish', '--json');
    assert.deepEqual([finished.code, JSON.parse(finished.stdout).state], [0, 'finished']);
    assert.deepEqual(await offered(), ['linux 1.1.0', 'windows 1.0.0']);
    assert.equal((await run('rollback', 'stable', '--os', 'linux')).code, 0);
  });

  test('mistakes with rollouts exit with 1 or 2, and change nothing', async () => {
    const cases: [number, RegExp, string[]][] = [
      [1, /--steps: "5" is not|--steps: .*only the last step/, ['rollout', 'start', '1.1.0', '--steps', '5%,10%']],
      [1, /--guards: "crashes" is not a guard/, ['rollout', 'start', '1.1.0', '--guards', 'crashes']],
      [1, /min_devices/, ['rollout', 'start', '1.1.0', '--min-devices', '3']],
      [1, /1\.1\.0 has no build for macos/, ['rollout', 'start', '1.1.0', '--os', 'macos']],
      [1, /No rollout is running or paused/, ['rollout', 'pause']],
      [1, /No rollout of beta/, ['rollout', 'abort', '--channel', 'beta']],
      [1, /--id/, ['rollout', 'finish', '--id', 'x']],
      [1, /share/, ['rollout', 'share', 'half']],
      [2, /no such version/, ['rollout', 'start', '9.9.9']],
      [2, /not older/, ['rollout', 'start', '1.0.0']],
    ];
    for (const [expected, message, args] of cases) {
      const { code, stderr } = await run(...args);
      assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, message);
    }
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
  });

  const skip = process.platform !== 'linux' && 'skipped: the program script is used as on Linux';
  test('a terminal shows sentences and colours, and a pipe pairs', { skip }, async () => {
    await writeFile(join(work.path, 'game', 'game.txt'), '1.2.0');
    const push = ['push', 'game', '--version', '1.2.0', '--os', 'linux', '--arch', 'x86_64', '--channel', 'nightly'];
    const shown = await inTerminal('', ...push);
    assert.match(
      shown,
      /1\.2\.0 is live on nightly for Linux x86_64: http:\S+\/builds\/\S+\r\nBuild id: [0-9a-f-]{36}\r\n/,
    );
    assert.doesNotMatch(shown, /build_id=/);
    const { stdout } = await run(...push);
    assert.match(stdout, /^build_id=.+\nfile_uid=.+\nchecksum=.+\nstatus=.+\npage=http.+\n$/);
    assert.ok((await inTerminal('', 'promote')).includes('\x1b[1;31merror:\x1b[0m Missing required argument'));
    assert.match((await run('promote')).stderr, /^error: Missing/);
    const unknown = await inTerminal('', 'promote', '9.9.9');
    assert.match(unknown, /no such version/);
    assert.doesNotMatch(unknown, /\[y\/N\]/);
  });

  test('a terminal asks before stable changes, and only a yes changes it', { skip }, async () => {
    const refused = await inTerminal('n', 'promote', '1.1.0');
    assert.match(refused, /now 1\.0\.0 for Linux x86_64/);
    assert.match(refused, /Promote 1\.1\.0 to stable for Linux x86_64 and Windows x86_64\? \[y\/N\]/);
    assert.match(refused, /Nothing was changed/);
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
    assert.match(await inTerminal('y', 'promote', '1.1.0'), /is live on stable/);
    assert.deepEqual(await offered(), ['linux 1.1.0', 'windows 1.1.0']);
    assert.doesNotMatch(await inTerminal('', 'rollback', 'stable', '--yes'), /\[y\/N\]/);
    assert.deepEqual(await offered(), ['linux 1.0.0', 'windows 1.0.0']);
  });
});
