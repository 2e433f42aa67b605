// `chauffeur build` with flags: registers a build before it is compiled, and writes its id.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { APP_ID, BUILD_ID, CRASHES_URL, EVENTS_URL, startPeer } from './setup/peer.ts';
import { runCli } from './setup/run-cli.ts';
import { tempFolder, writeTree } from './setup/temp.ts';

const BUILD = ['build', '--version', '1.0', '--os', 'linux', '--arch', 'x64'];
const REGISTERED = { build_id: BUILD_ID, build_type: 'game', title: '1.0', files: [] };

test('build registers from flags, without build.yml, and prints the ids', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [];
  const cwd = tempFolder(t);
  writeTree(cwd, { 'build.yml': 'not a build file' });
  const result = await runCli([...BUILD, '--channel', 'beta', '--type', 'demo'], { cwd, peer });
  assert.deepEqual(
    [result.code, result.stdout],
    [0, `SERVICE_GAMES_APP_ID=${APP_ID}\nSERVICE_GAMES_BUILD_ID=${BUILD_ID}\n`],
  );
  assert.match(result.stderr, /^Registered version 1\.0 for linux\/x86_64 on channel beta\.\n$/);
  assert.deepEqual(Object.fromEntries(peer.requests.find(({ kind }) => kind === 'build')?.fields ?? []), {
    ...{ version: '1.0', build_type: 'demo', os: 'linux', arch: 'x86_64', channel: 'beta' },
  });
});

test('build keeps the texts of a registered build', async (t) => {
  const peer = await startPeer(t);
  const kept = { title: 'Owls', description: 'Hoot.', changelog_items: [{ title: 'New', description: '' }] };
  peer.builds = [{ ...REGISTERED, ...kept }];
  const cwd = tempFolder(t);
  const same = await runCli([...BUILD, '--json'], { cwd, peer });
  const { build_id, app_id, created, title, has_file } = JSON.parse(same.stdout) as Record<string, unknown>;
  assert.deepEqual([build_id, app_id, created, title, has_file], [BUILD_ID, APP_ID, false, 'Owls', false]);
  assert.equal((await runCli([...BUILD, '--commit', '84120'], { cwd, peer })).code, 0);
  const [registration, ...others] = peer.requests.filter(({ kind }) => kind === 'build');
  assert.equal(others.length, 0, 'the first call had nothing to change');
  const { title: sent, description, changelog_items, commit } = Object.fromEntries(registration?.fields ?? []);
  assert.deepEqual({ title: sent, description, changelog_items, commit }, { ...kept, commit: '84120' });
});

test('build finds a build of its type beyond the first page', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [...Array.from({ length: 100 }, () => ({ ...REGISTERED, build_type: 'other' })), REGISTERED];
  const { code, stdout } = await runCli([...BUILD, '--json'], { cwd: tempFolder(t), peer });
  assert.deepEqual([code, JSON.parse(stdout).created], [0, false]);
});

test('build and push warn of a build without a file on another channel, whose id may be in the game', async (t) => {
  const peer = await startPeer(t);
  for (const [builds, warns] of [
    [[REGISTERED], true],
    [[{ ...REGISTERED, files: [{}] }], false],
    [[{ ...REGISTERED, build_type: 'demo' }], false],
    [[REGISTERED, { ...REGISTERED, channel: 'beta' }], false],
  ] as const) {
    peer.builds = [...builds];
    const { code, stderr } = await runCli([...BUILD, '--channel', 'beta'], { peer, cwd: tempFolder(t) });
    assert.equal(code, 0, stderr);
    const warning = /warning: .* is also registered on channel stable, without a file\..* use --channel stable/;
    (warns ? assert.match : assert.doesNotMatch)(stderr, warning);
  }
});

test('build says that the build already has a file', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [{ ...REGISTERED, files: [{ file_uid: 'x', status: 'clean' }] }];
  const cwd = tempFolder(t);
  const { code, stdout, stderr } = await runCli([...BUILD, '--json'], { cwd, peer });
  assert.deepEqual([code, JSON.parse(stdout).has_file, JSON.parse(stdout).build_id], [0, true, BUILD_ID]);
  assert.match(stderr, /Version 1\.0 already has a file\. After the next push, players get the new one\./);
});

test('--write writes the id into several files, and only if it changes them', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const files = ['src/new/build.h', 'ids.json', '.env'];
  const write = files.flatMap((file) => ['--write', file]);
  const first = await runCli([...BUILD, ...write, '--json'], { cwd, peer });
  assert.equal(first.code, 0, first.stderr);
  const written = (changed: boolean) => files.map((file) => ({ file, changed }));
  assert.deepEqual(JSON.parse(first.stdout).written, written(true));
  assert.match(first.stderr, /Wrote the id into src\/new\/build\.h\./);
  assert.deepEqual(JSON.parse(readFileSync(join(cwd, 'ids.json'), 'utf8')), {
    ...{ app_id: APP_ID, build_id: BUILD_ID, app_version: '1.0', build_channel: 'stable' },
    ...{ crashes_url: CRASHES_URL, events_url: EVENTS_URL },
  });
  const before = files.map((file) => statSync(join(cwd, file), { bigint: true }));
  const again = await runCli([...BUILD, ...write, '--json'], { cwd, peer });
  assert.deepEqual(JSON.parse(again.stdout).written, written(false));
  for (const [index, file] of files.entries()) {
    const { ino, mtimeNs } = statSync(join(cwd, file), { bigint: true });
    assert.deepEqual([ino, mtimeNs], [before[index]?.ino, before[index]?.mtimeNs], file);
  }
  assert.deepEqual(readdirSync(cwd).sort(), ['.env', 'ids.json', 'src'], 'no temporary file is left');
});

test('two jobs that write the same file at once leave a complete one', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  writeTree(cwd, { 'ids.json': '{ "level": 1 }' });
  const jobs = Array.from({ length: 4 }, () => runCli([...BUILD, '--write', 'ids.json'], { cwd, peer }));
  for (const { code, stderr } of await Promise.all(jobs)) assert.equal(code, 0, stderr);
  const { level, build_id } = JSON.parse(readFileSync(join(cwd, 'ids.json'), 'utf8')) as Record<string, unknown>;
  assert.deepEqual([level, build_id], [1, BUILD_ID]);
  assert.deepEqual(readdirSync(cwd), ['ids.json']);
});

test('--write keeps the mode of a file and a symbolic link to it', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  writeTree(cwd, { 'real/ids.json': '{}' });
  chmodSync(join(cwd, 'real/ids.json'), 0o640);
  symlinkSync('real/ids.json', join(cwd, 'ids.json'));
  const { code, stderr } = await runCli([...BUILD, '--write', 'ids.json'], { cwd, peer });
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(readFileSync(join(cwd, 'real/ids.json'), 'utf8')).build_id, BUILD_ID);
  assert.equal(statSync(join(cwd, 'real/ids.json')).mode & 0o777, 0o640);
});

test('nothing is registered if a file cannot have the id', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  writeTree(cwd, {
    'main.cs': 'class Main {}',
    'list.json': '[]',
    'comments.json': '{ // no\n}',
    'Config/DefaultEngine.ini': '[CrashReportClient]\nDataRouterUrl="https://crashes.example.org/x"\n',
  });
  mkdirSync(join(cwd, 'folder.h'));
  const cases: [string, RegExp][] = [
    ['ids.txt', /the format of ids\.txt is not known\.\n.*\.h, \.hpp.*C# \(\.cs\).*\.gd.*\.json.*\.ini.*\.env/],
    ['ids', /is not known/],
    ['main.cs', /main\.cs was not written by chauffeur build/],
    ['list.json', /list\.json is not a JSON object/],
    ['comments.json', /comments\.json is not a JSON object/],
    ['project.godot', /project\.godot does not exist/],
    ['main.cs/ids.json', /main\.cs\/ids\.json cannot be read/],
    ['folder.h', /folder\.h is a folder/],
    ['Config/DefaultEngine.ini', /sends crash reports to https:\/\/crashes\.example\.org\/x/],
    ['', /--write is empty/],
  ];
  for (const [file, message] of cases) {
    const { code, stderr } = await runCli([...BUILD, '--write', 'ok.json', '--write', file], { cwd, peer });
    assert.equal(code, 1, file);
    assert.match(stderr, message, file);
  }
  assert.deepEqual(peer.requests, []);
  assert.equal(existsSync(join(cwd, 'ok.json')), false);
});

test('a file that cannot be written is an error, and the old one stays', async (t) => {
  if (process.getuid?.() === 0) return t.skip('root can write everything');
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  writeTree(cwd, { 'ids.json': '{}' });
  chmodSync(join(cwd, 'ids.json'), 0o444);
  const { code, stderr } = await runCli([...BUILD, '--write', 'ids.json'], { cwd, peer });
  assert.equal(code, 1);
  assert.match(stderr, /ids\.json cannot be written/);
  assert.equal(readFileSync(join(cwd, 'ids.json'), 'utf8'), '{}');
});

test('build says what is missing', async (t) => {
  const cwd = tempFolder(t);
  const cases: [string[], RegExp][] = [
    [['build'], /build\.yml does not exist\.\n.*genbuild --version <version>, or use --version, --os and --arch/],
    [['build', '--version', '1.0'], /The platform of the build is missing/],
    [BUILD, /not signed in/],
    [[...BUILD, '--channel', 'Beta!'], /--channel/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCli(args, { cwd });
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
  }
});

test('build with build.yml replaces the texts of a registered build', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [{ ...REGISTERED, title: 'Owls', description: 'Hoot.', changelog_items: [] }];
  const cwd = tempFolder(t);
  writeTree(cwd, {
    'build.yml': 'version: v1\nspec: build\nasset:\n  version: "1.0"\n  platforms: [{ os: linux, arch: x64 }]\n',
  });
  assert.equal((await runCli(['build', '--write', 'ids.json'], { cwd, peer })).code, 0);
  const fields = Object.fromEntries(peer.requests.find(({ kind }) => kind === 'build')?.fields ?? []);
  assert.deepEqual([fields.title, fields.description], ['1.0', '']);
  assert.equal(JSON.parse(readFileSync(join(cwd, 'ids.json'), 'utf8')).build_id, BUILD_ID);
});
