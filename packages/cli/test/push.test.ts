import assert from 'node:assert/strict';
import { chmodSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BUILD_ID, type Peer, startPeer } from './setup/peer.ts';
import { readZip } from './setup/read-zip.ts';
import { runCli } from './setup/run-cli.ts';
import { tempFolder, writeTree } from './setup/temp.ts';

const PAGE = `https://games.example.com/dev/owls/builds/${BUILD_ID}`;
const PUSH = ['push', 'game', '--version', '1.0', '--os', 'linux', '--arch', 'x64'];

/** A folder with a small game in `game`. */
function gameFolder(t: TestContext): string {
  const cwd = tempFolder(t);
  writeTree(cwd, { 'game/run': 'program', 'game/run.pdb': 'symbols', 'game/data/level.json': '{}' });
  chmodSync(join(cwd, 'game/run'), 0o755);
  return cwd;
}

const kindsOf = (peer: Peer) => peer.requests.map(({ kind }) => kind);
const registrationOf = (peer: Peer) =>
  Object.fromEntries(peer.requests.find(({ kind }) => kind === 'build')?.fields ?? []);

test('push registers a build, uploads the folder, waits for the scan and prints the page', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [];
  peer.scans = [{ status: 'pending' }, { status: 'clean' }];
  peer.channels = [{ channel: 'stable', os: 'linux', arch: 'x86_64', build_id: BUILD_ID, version: '1.0' }];
  const cwd = gameFolder(t);
  const result = await runCli([...PUSH, '--ignore', '*.pdb'], { cwd, peer });
  assert.equal(result.code, 0, result.stderr);
  assert.match(
    result.stdout,
    new RegExp(`^build_id=${BUILD_ID}\nfile_uid=.*\nchecksum=[0-9a-f]{64}\nstatus=clean\npage=${PAGE}\n$`),
  );
  assert.match(result.stderr, /Registered version 1\.0 for linux\/x86_64 on channel stable\./);
  assert.doesNotMatch(result.stderr, /promote/);
  assert.deepEqual(kindsOf(peer), ['builds', 'build', 'single', 'file', 'file', 'info']);
  const expected = { version: '1.0', build_type: 'game', os: 'linux', arch: 'x86_64', channel: 'stable' };
  assert.deepEqual(registrationOf(peer), expected);
  assert.deepEqual(
    readZip(peer.files[0] ?? Buffer.alloc(0)).map(({ path }) => path),
    ['data/', 'data/level.json', 'run'],
  );
  assert.deepEqual(readdirSync(cwd), ['game'], 'no file is written next to the folder');
});

test('push sends symbols before the game, and otherwise warns about debug files in the folder', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [];
  const cwd = gameFolder(t);
  writeTree(cwd, {
    'game/run.debug': '\x7fELF',
    'debug/run.sym': 'MODULE Linux x86_64 ABC0 run\nFUNC 10 8 0 main\n10 8 3 0\n',
  });
  const result = await runCli([...PUSH, '--no-wait', '--symbols', 'debug', '--json'], { cwd, peer });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(
    kindsOf(peer).filter((kind) => kind !== 'info'),
    ['builds', 'build', 'symbolList', 'symbols', 'single'],
  );
  const { symbols, warnings } = JSON.parse(result.stdout);
  assert.deepEqual(
    symbols.modules.map(({ debug_file: name, functions, lines, state }: Record<string, unknown>) => [
      ...[name, functions, lines, state],
    ]),
    [['run', 1, 1, 'uploaded']],
  );
  assert.deepEqual(warnings, []);
  const without = await runCli([...PUSH, '--no-wait'], { cwd, peer });
  assert.match(without.stderr, /warning: the folder has debug symbols, .*: run\.debug\. Upload them with --symbols/);
  const nowhere = await runCli([...PUSH, '--symbols', 'nowhere'], { cwd, peer });
  assert.deepEqual([nowhere.code, nowhere.stderr.includes('nowhere does not exist.')], [1, true]);
});

test('push takes the texts of the build from flags', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [];
  const more = ['--title', 'Owls', '--description', 'Hoot.', '--engine-version', '4.3', '--channel', 'beta'];
  const changelog = ['--changelog', 'A boss: big: very big', '--changelog', 'Fixes', '--changelog', 'See a://b: c'];
  const result = await runCli([...PUSH, ...more, ...changelog, '--no-wait', '--json'], { cwd: gameFolder(t), peer });
  assert.equal(result.code, 0, result.stderr);
  const { status, page, build_id } = JSON.parse(result.stdout) as Record<string, string>;
  assert.deepEqual([status, page, build_id], ['pending', PAGE, BUILD_ID]);
  assert.equal(kindsOf(peer).includes('file'), false, 'does not wait');
  const { title, description, engine_version, channel, changelog_items } = registrationOf(peer);
  assert.deepEqual([title, description, engine_version, channel], ['Owls', 'Hoot.', '4.3', 'beta']);
  assert.deepEqual(changelog_items, [
    { title: 'A boss', description: 'big: very big' },
    { title: 'Fixes', description: '' },
    { title: 'See a://b', description: 'c' },
  ]);
});

test('push reads from build.yml what no flag sets', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [];
  const cwd = gameFolder(t);
  const genbuild = ['genbuild', '--version', '1.0', '--os', 'macos', '--arch', 'universal', '--description', 'Hoot.'];
  assert.equal((await runCli(genbuild, { cwd })).code, 0);
  const result = await runCli(['push', 'game', '--asset', 'build.yml', '--version', '1.1'], { cwd, peer });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(registrationOf(peer), {
    version: '1.1',
    title: '1.1',
    description: 'Hoot.',
    build_type: 'game',
    os: 'macos',
    arch: 'universal',
    channel: 'stable',
    changelog_items: [],
  });
});

test('push keeps the texts of a registered build unless flags replace them', async (t) => {
  const peer = await startPeer(t);
  const kept = { title: 'Owls', description: 'Hoot.', changelog_items: [{ title: 'New', description: '' }] };
  peer.builds = [{ build_id: BUILD_ID, build_type: 'game', files: [], ...kept }];
  const cwd = gameFolder(t);
  assert.equal((await runCli(PUSH, { cwd, peer })).code, 0);
  assert.deepEqual(registrationOf(peer), {}, 'is not registered again');
  assert.equal((await runCli([...PUSH, '--title', 'More owls'], { cwd, peer })).code, 0);
  const { title, description, changelog_items } = registrationOf(peer);
  assert.deepEqual({ title, description, changelog_items }, { ...kept, title: 'More owls' });
});

test('push says so if the channel offers another build', async (t) => {
  const peer = await startPeer(t);
  const cwd = gameFolder(t);
  const other = { channel: 'stable', os: 'linux', arch: 'x86_64', build_id: 'other', version: '2.0' };
  for (const [channels, message] of [
    [[other], /Channel stable offers version 2\.0 for linux\/x86_64\. To offer this build, promote it/],
    [[{ ...other, os: 'windows' }], /Channel stable offers no build for linux/],
  ] as const) {
    peer.channels = [...channels];
    const result = await runCli(PUSH, { cwd, peer });
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stderr, message);
  }
});

test('a zip that the service already has as the newest file of the build is not uploaded again', async (t) => {
  const peer = await startPeer(t);
  const cwd = gameFolder(t);
  const setfiles = ['setfiles', '--version', '1.0', '--os', 'linux', '--arch', 'x64', '--files', 'game'];
  assert.equal((await runCli(setfiles, { cwd })).code, 0);
  const first = await runCli([...PUSH, '--json'], { cwd, peer });
  const { checksum } = JSON.parse(first.stdout) as { checksum: string };
  assert.equal(JSON.parse(first.stdout).uploaded, true);
  const other = { file_uid: 'other', checksum: 'f'.repeat(64), status: 'clean' };
  const offerFiles = (...files: object[]) => {
    peer.builds = [{ build_id: BUILD_ID, build_type: 'game', files }];
    peer.files.length = 0;
  };
  for (const command of [PUSH, ['addfiles', '--wait']]) {
    peer.scans = [{ status: 'clean' }];
    offerFiles({ ...other, status: 'infected' }, { file_uid: 'same', checksum, status: 'unscanned' }, other);
    const again = await runCli([...command, '--json'], { cwd, peer });
    const { file_uid, uploaded, status } = JSON.parse(again.stdout) as Record<string, unknown>;
    assert.deepEqual([again.code, file_uid, uploaded, status], [0, 'same', false, 'unscanned'], again.stderr);
    assert.match(again.stderr, /already has this zip.*\n.*Channel stable offers no build/);
    assert.deepEqual(peer.files, []);

    offerFiles({ file_uid: 'same', checksum, status: 'pending' });
    peer.scans = [{ status: 'infected', detail: 'Eicar-Test' }];
    assert.equal((await runCli(command, { cwd, peer })).code, 2, 'waits for the scan of the earlier upload');

    peer.scans = [{ status: 'clean' }];
    for (const files of [
      [other, { file_uid: 'same', checksum, status: 'clean' }],
      [{ file_uid: 'same', checksum, status: 'error' }],
    ]) {
      offerFiles(...files);
      assert.equal((await runCli(command, { cwd, peer })).code, 0);
      assert.equal(peer.files.length, 1, 'players would not get the earlier upload');
    }
  }
});

test('push ships a bundle as a bundle, without what players should not get', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  writeTree(cwd, {
    'Owls.app/Contents/MacOS/Owls': 'program',
    'Owls.app/Contents/Info.plist': '',
    'Owls.app/.DS_Store': '',
  });
  chmodSync(join(cwd, 'Owls.app/Contents/MacOS/Owls'), 0o755);
  symlinkSync('MacOS/Owls', join(cwd, 'Owls.app/Contents/start'));
  const flags = ['--version', '1.0', '--os', 'macos', '--arch', 'arm64', '--json'];
  const result = await runCli(['push', 'Owls.app', ...flags], { cwd, peer });
  assert.equal(result.code, 0, result.stderr);
  assert.deepEqual(
    readZip(peer.files[0] ?? Buffer.alloc(0)).map(({ path, mode }) => [path, mode.toString(8)]),
    [
      ['Owls.app/', '40755'],
      ['Owls.app/Contents/', '40755'],
      ['Owls.app/Contents/Info.plist', '100644'],
      ['Owls.app/Contents/MacOS/', '40755'],
      ['Owls.app/Contents/MacOS/Owls', '100755'],
      ['Owls.app/Contents/start', '120777'],
    ],
  );
  const { left_out, warnings } = JSON.parse(result.stdout) as Record<string, unknown>;
  assert.deepEqual(left_out, [{ path: 'Owls.app/.DS_Store', reason: 'metadata of the OS' }]);
  assert.deepEqual(warnings, []);
  assert.match(result.stderr, /Left out 1 item .*: Owls\.app\/\.DS_Store \(metadata of the OS\)/);
});

test('--dry-run lists what would be sent and where, and sends nothing', async (t) => {
  const peer = await startPeer(t);
  peer.channels = [{ channel: 'beta', os: 'linux', arch: 'x86_64', build_id: 'other', version: '0.9' }];
  peer.builds = [];
  const cwd = gameFolder(t);
  writeTree(cwd, { 'game/.env': 'KEY=1' });
  const setfiles = ['setfiles', '--version', '1.0', '--os', 'linux', '--arch', 'x64', '--files', 'game'];
  assert.equal((await runCli([...setfiles, '--channel', 'beta'], { cwd })).code, 0);
  const ignore = ['--ignore', '*.pdb', '--ignore', '*.log', '--dry-run'];
  for (const command of [[...PUSH, '--channel', 'beta'], ['addfiles']]) {
    const { code, stdout, stderr } = await runCli([...command, ...ignore], { cwd, peer });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^ +folder {2}data\/\n +2 bytes {2}data\/level\.json\n +7 bytes {2}run \(executable\)\n/);
    assert.match(stdout, /left out: \.env \(secrets\)\nleft out: run\.pdb \(ignored\)\n/);
    assert.match(stdout, /game +Owls \(owls\)\n.*\nbuild +1\.0 for linux\/x86_64\n +would be registered\n/);
    assert.match(
      stdout,
      /channel +beta, which offers 0\.9 now\nfiles +2 with 9 bytes before compression\nNothing was sent/,
    );
    assert.match(stderr, /warning: --ignore "\*\.log" matches nothing/);
    const asJson = JSON.parse((await runCli([...command, ...ignore, '--json'], { cwd, peer })).stdout);
    assert.deepEqual(
      [asJson.dry_run, asJson.game.slug, asJson.offered_version, asJson.files, asJson.bytes],
      [true, 'owls', '0.9', 2, 9],
    );
    assert.deepEqual(asJson.build, {
      ...{ version: '1.0', build_type: 'game', os: 'linux', arch: 'x86_64', channel: 'beta' },
      registered: false,
    });
    assert.deepEqual(asJson.entries[2], { path: 'run', type: 'file', size: 7, executable: true });
    assert.deepEqual(asJson.left_out, [
      { path: '.env', reason: 'secrets' },
      { path: 'run.pdb', reason: 'ignored' },
    ]);
  }
  assert.ok(
    kindsOf(peer).every((kind) => kind === 'info' || kind === 'builds'),
    'only reads',
  );
  const guest = await runCli([...PUSH, '--dry-run', '--no-ignore-junk'], { cwd });
  assert.equal(guest.code, 0, guest.stderr);
  assert.match(guest.stdout, /game +unknown without credentials/);
  assert.match(guest.stdout, /5 bytes {2}\.env\n/);
  assert.match(guest.stderr, /players get 1 item that they probably should not: \.env \(secrets\)/);
  peer.fail('info', { status: 401, code: 4023 });
  assert.equal((await runCli([...PUSH, '--dry-run'], { cwd, peer })).code, 2, 'a revoked key is reported');
});

test('push exits with 2 if the scan rejects the file', async (t) => {
  const peer = await startPeer(t);
  peer.scans = [{ status: 'infected', detail: 'Eicar-Test in run' }];
  const result = await runCli(PUSH, { cwd: gameFolder(t), peer });
  assert.equal(result.code, 2);
  assert.match(result.stderr, /Eicar-Test in run/);
});

test('push with invalid flags or files exits with 1, and nothing is sent', async (t) => {
  const peer = await startPeer(t);
  const cwd = gameFolder(t);
  const cases: [string[], RegExp][] = [
    [['push'], /Missing required argument 'folder'\./],
    [['push', 'game', '--os', 'linux', '--arch', 'x64'], /--version: /],
    [['push', 'game', '--version', '1'], /The platform of the build is missing\.\n.*--os windows --arch x86_64/],
    [['push', 'game', '--version', '1', '--os', 'linux'], /The platform of the build is missing/],
    [['push', 'game', '--version', '1', '--asset', 'none.yml'], /none\.yml does not exist/],
    [['push', 'nowhere', ...PUSH.slice(2)], /nowhere does not exist/],
    [['push', 'game/run', ...PUSH.slice(2)], /is not a folder/],
    [['push', 'game', '--version', '1', '--os', 'web', '--arch', 'wasm32'], /game has no index\.html/],
    [[...PUSH, '--os', 'plan9'], /--os: not an accepted value/],
    [[...PUSH, '--title', 'x'.repeat(2000)], /--title: longer than/],
    [[...PUSH, '--changelog', ''], /--changelog\[0\]/],
    [[...PUSH, '--channel', ''], /--channel is empty/],
    [[...PUSH, '--type', ' \n'], /--type is empty/],
    [[...PUSH, '--version', '--no-wait'], /--version has no value, because --no-wait follows it/],
    [['push', '', ...PUSH.slice(2)], /<folder> is empty/],
    [['push', '$DIST', ...PUSH.slice(2)], /<folder>: \$DIST is the name of a variable/],
    [[...PUSH, '--timeout', 'soon'], /--timeout is not a number/],
  ];
  for (const [args, message] of cases) {
    const result = await runCli(args, { cwd, peer });
    assert.equal(result.code, 1, args.join(' '));
    assert.match(result.stderr, message);
  }
  assert.deepEqual(peer.requests, []);
});
