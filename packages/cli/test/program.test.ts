import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCertificate } from '../../server/test/setup/certificate.ts';
import { findFreePort } from '../../server/test/setup/free-port.ts';
import { KEY, startPeer } from './setup/peer.ts';
import { readZip } from './setup/read-zip.ts';
import { runCli, startCli } from './setup/run-cli.ts';
import { tempFolder, writeTree } from './setup/temp.ts';

const MIB = 1024 * 1024;
const BUILD_ID = '01900000-0000-7000-8000-000000000001';
const SETFILES = ['setfiles', '--version', '1.0', '--os', 'linux', '--arch', 'x64', '--files', 'game'];

/** A folder with a small game and its addfiles.yml. */
async function gameFolder(t: Parameters<typeof tempFolder>[0], bytes = 1000): Promise<string> {
  const cwd = tempFolder(t);
  writeTree(cwd, { 'game/run': randomBytes(bytes), 'game/data/level.json': '{}' });
  chmodSync(join(cwd, 'game/run'), 0o755);
  assert.equal((await runCli(SETFILES, { cwd })).code, 0);
  return cwd;
}

test('a reader that closes the pipe early does not stop the command', async (t) => {
  const peer = await startPeer(t);
  const cwd = await gameFolder(t);
  for (const args of [['--help'], ['addfiles', '--asset', 'addfiles.yml']]) {
    const { child, exit } = startCli(args, { cwd, peer });
    exit.catch(() => undefined);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    const [code] = await once(child, 'exit');
    assert.equal(code, 0, args.join(' '));
  }
  assert.notEqual(peer.requests.length, 0);
});

test('genbuild, addchangelog and build create a build and print its ids', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const steps = [
    ['genbuild', '--version', '1.10', '--engine-version', '4.3', '--channel', 'beta'],
    ['addchangelog', '--title', 'New: a boss', '--description', 'Big.\nVery big.'],
  ];
  for (const args of steps) assert.equal((await runCli(args, { cwd })).code, 0);
  const built = await runCli(['build', '--asset', 'build.yml', '--os', 'windows', '--arch', 'amd64'], { cwd, peer });
  assert.equal(
    built.stdout,
    `SERVICE_GAMES_APP_ID=01900000-0000-7000-8000-000000000002\nSERVICE_GAMES_BUILD_ID=${BUILD_ID}\n`,
  );
  assert.deepEqual(Object.fromEntries(peer.requests[1]?.fields ?? []), {
    version: '1.10',
    build_type: 'game',
    os: 'windows',
    arch: 'x86_64',
    channel: 'beta',
    title: '1.10',
    description: '',
    engine_version: '4.3',
    changelog_items: [{ title: 'New: a boss', description: 'Big.\nVery big.' }],
  });
  const asJson = await runCli(['build', '--os', 'windows', '--arch', 'amd64', '--json'], { cwd, peer });
  assert.equal((JSON.parse(asJson.stdout) as { build_id: string }).build_id, BUILD_ID);
});

test('the output of other commands can be used as a version', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const flags = ['--version', '\uFEFF1.0-3-g0123abc\r\n', '--channel', 'beta\n', '--description', ''];
  const written = await runCli(['genbuild', ...flags], { cwd });
  assert.deepEqual([written.code, written.stderr], [0, 'warning: --description is empty.\n']);
  assert.equal((await runCli(['build', '--os', 'linux\n', '--arch', ' x64'], { cwd, peer })).code, 0);
  const { version, channel, os, arch } = Object.fromEntries(peer.requests[1]?.fields ?? []);
  assert.deepEqual([version, channel, os, arch], ['1.0-3-g0123abc', 'beta', 'linux', 'x86_64']);
});

test('addfiles zips, uploads and waits for the scan', async (t) => {
  const peer = await startPeer(t);
  const cwd = await gameFolder(t);
  peer.scans = [{ status: 'pending' }, { status: 'clean' }];
  const result = await runCli(['addfiles', '--asset', 'addfiles.yml', '--wait'], { cwd, peer });
  assert.equal(result.code, 0, result.stderr);
  assert.match(result.stdout, /^file_uid=.*\nchecksum=[0-9a-f]{64}\nstatus=clean\n$/);
  assert.deepEqual(Object.fromEntries(peer.requests[0]?.query ?? []), {
    version: '1.0',
    os: 'linux',
    arch: 'x86_64',
    page: '1',
    page_size: '100',
  });
  assert.deepEqual(
    readZip(peer.files[0] ?? Buffer.alloc(0)).map(({ path }) => path),
    ['data/', 'data/level.json', 'run'],
  );
});

test('addfiles reads the descriptor of the original public client, and zips the files in it', async (t) => {
  const cwd = await gameFolder(t);
  const uploadOf = async (...files: string[]) => {
    const peer = await startPeer(t);
    const list = files.map((file) => `    - file: ${file}\n`).join('');
    const asset = `  asset_type: game\n  version: 1.0\n  channel: stable\n  os: linux\n  arch: amd64\n  files:\n${list}`;
    writeTree(cwd, { 'public-client.yml': `version: v1\nspec: addfiles\nasset:\n${asset}` });
    const result = await runCli(['addfiles', '--asset', 'public-client.yml'], { cwd, peer });
    return { ...result, paths: peer.files.flatMap((zip) => readZip(zip).map(({ path }) => path)) };
  };
  const folder = await uploadOf('game');
  assert.deepEqual([folder.code, folder.paths], [0, ['data/', 'data/level.json', 'run']], folder.stderr);
  assert.deepEqual((await uploadOf('./game/run')).paths, ['run']);
  assert.deepEqual((await uploadOf('game/run', 'game/data')).paths, ['data/', 'data/level.json', 'run']);
  assert.deepEqual((await uploadOf('game/data/level.json', 'public-client.yml')).paths, [
    'game/',
    'game/data/',
    'game/data/level.json',
    'public-client.yml',
  ]);
  const missing = await uploadOf('game/run', 'game/none');
  assert.deepEqual([missing.code, missing.paths], [1, []]);
  assert.match(missing.stderr, /game\/none does not exist/);
});

test('a descriptor for another program of the game, or for any OS, is refused before anything is sent', async (t) => {
  const cwd = await gameFolder(t);
  const asset = (more: string, os = 'linux') =>
    `version: v1\nspec: addfiles\nasset:\n  type: game\n  version: 1.0\n  channel: stable\n  os: ${os}\n  arch: x86_64\n${more}`;
  const files = '  files:\n    - file: game\n';
  for (const [text, message] of [
    [asset(`${files}  app:\n    id: editor\n`), /"editor" is another program/],
    [asset(files, 'any'), /asset\.os: .*windows, macos, linux/],
    [asset(''), /asset\.files is empty/],
    [asset('  files:\n    - game\n'), /asset\.files\[0\]/],
  ] as const) {
    writeTree(cwd, { 'public-client.yml': text });
    const peer = await startPeer(t);
    const result = await runCli(['addfiles', '--asset', 'public-client.yml'], { cwd, peer });
    assert.equal(result.code, 1);
    assert.match(result.stderr, message);
    assert.deepEqual(peer.requests, []);
  }
});

test('a file that the scan rejects exits with 2 and the reason', async (t) => {
  const peer = await startPeer(t);
  const cwd = await gameFolder(t);
  peer.scans = [{ status: 'infected', detail: 'Eicar-Test in run' }];
  const result = await runCli(['--json', 'addfiles', '--wait'], { cwd, peer });
  const printed = JSON.parse(result.stdout) as { status: string; error: { code: string; message: string } };
  assert.deepEqual([result.code, printed.status, printed.error.code], [2, 'infected', 'scan']);
  assert.match(printed.error.message, /Eicar-Test in run/);
});

test('addfiles without a registered build says how to register it', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [{ build_id: BUILD_ID, build_type: 'demo' }];
  const result = await runCli(['addfiles'], { cwd: await gameFolder(t), peer });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /chauffeur build --version 1\.0 --os linux --arch x86_64 --channel stable/);
});

test('invalid input exits with 1, and nothing is sent', async (t) => {
  const peer = await startPeer(t);
  const cwd = await gameFolder(t);
  mkdirSync(join(cwd, 'empty'));
  writeFileSync(
    join(cwd, 'empty.yml'),
    readFileSync(join(cwd, 'addfiles.yml'), 'utf8').replace('path: game', 'path: empty'),
  );
  writeFileSync(join(cwd, 'broken.yml'), 'version: v1\n  spec: [build\n');
  writeFileSync(join(cwd, 'other.yml'), 'services: {}\n');
  writeFileSync(join(cwd, 'note.txt'), 'not an image');
  writeFileSync(join(cwd, 'utf16.yml'), Buffer.from('\uFEFFversion: v1\nspec: build\n', 'utf16le'));
  writeFileSync(join(cwd, 'latin1.yml'), Buffer.from('version: v1\nspec: build # Größe\n', 'latin1'));
  const cases: [string[], RegExp][] = [
    [['genbuild', '--version', 'x'.repeat(33)], /asset\.version: longer than 32 characters/],
    [['genbuild'], /error: Required option '--version <version>' not specified\./],
    [['genbuild', '--version', '1', '--out', 'other.yml'], /other\.yml does not have version: v1/],
    [['build', '--os', 'linux', '--arch', 'x64'], /build\.yml does not exist/],
    [['build', '--asset', 'broken.yml'], /broken\.yml is not valid YAML/],
    [['setfiles', '--version', '1', '--os', 'linux', '--arch', 'x64', '--files', 'nowhere'], /nowhere is not a folder/],
    [
      ['setfiles', '--version', '1', '--os', 'plan9', '--arch', 'x64', '--files', 'game'],
      /--os: not an accepted value/,
    ],
    [['addfiles', '--asset', 'empty.yml'], /contains no files/],
    [['addfiles', '--timeout', 'soon'], /--timeout is not a number/],
    [['symbols', '--build-id', 'x', 'game'], /build_id: not valid/],
    [['symbols', '--build-id', BUILD_ID, 'game'], /contains no \.sym files/],
    [['media', 'cover', 'note.txt'], /not a PNG, JPEG, GIF or WebP/],
    [['media', 'cover', 'nowhere.png'], /nowhere\.png cannot be read/],
    [['media', 'order', 'x'], /order\[0\]: not valid/],
    [['videos', 'add', 'note.txt'], /note\.txt is not an MP4 or WebM/],
    [['videos', 'add', 'nowhere.mp4'], /nowhere\.mp4 cannot be read/],
    [['videos', 'order', 'x'], /order\[0\]: not valid/],
    [['videos', 'delete', 'x'], /uid: not valid/],
    [['builds', 'list', '--page-size', '500'], /--page-size: must be <= 100/],
    [['info', '--url', 'ftp://example.org'], /is not an http or https URL/],
    [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
    [['genbuild', '--version', ''], /--version is empty/],
    [['genbuild', '--version', '$CI_COMMIT_TAG'], /--version: \$CI_COMMIT_TAG is the name of a variable/],
    [['genbuild', '--version', '1.0\n2'], /--version contains a line break/],
    [['genbuild', '--version', '1', '--title', '--force'], /--title has no value, because --force follows it/],
    [['genbuild', '--version', '1', '--out', ''], /--out is empty/],
    [['genbuild', '--version', '1', '--os', 'linux', '--arch', 'x64', '--channel='], /--channel is empty/],
    [['addfiles', '--ignore', ''], /--ignore is empty/],
    [['symbols', '--build-id', BUILD_ID, ''], /<path> is empty/],
    [['info', '--url', ''], /--url is empty/],
    [['build', '--asset', 'utf16.yml'], /utf16\.yml is not UTF-8, but UTF-16/],
    [['build', '--asset', 'latin1.yml'], /latin1\.yml is not UTF-8/],
    [['nosuch'], /Unknown command 'nosuch'\.\n {2}Run chauffeur --help for a list\./],
    [['version'], /Unknown command 'version'\. Did you mean versions\?/],
    [['build', '--nosuch'], /Unknown option '--nosuch'/],
    [[], /No command given/],
  ];
  for (const [args, message] of cases) {
    const result = await runCli(args, { cwd, peer });
    assert.equal(result.code, 1, args.join(' '));
    assert.match(result.stderr, message);
    assert.doesNotMatch(result.stderr, /\n\s+at /, 'no stack trace');
  }
  assert.deepEqual(peer.requests, []);
});

test('an error of the service exits with 2, and prints its code, the remedy and the request id', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  peer.fail('info', { status: 401, code: 4023 }, { status: 401, code: 4023 });
  const refused = await runCli(['info'], { cwd, peer });
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /error: Refused with 4023\. \(code 4023\)\n.*Use the newest deploy key.*\n.*request id: req-1/,
  );
  const asJson = await runCli(['info', '--json'], { cwd, peer });
  assert.equal(asJson.code, 2);
  assert.deepEqual(JSON.parse(asJson.stdout), {
    error: {
      code: 4023,
      message: 'Refused with 4023.',
      remedy: 'Use the newest deploy key, or a new upload token. Creating a deploy key revokes all earlier ones.',
      request_id: 'req-1',
    },
  });
});

test('an unreachable service exits with 3 after a few attempts', async (t) => {
  const peer = await startPeer(t);
  peer.fail('info', 'reset', 'reset', 'reset');
  const result = await runCli(['info', '--json', '--quiet'], { cwd: tempFolder(t), peer });
  assert.equal(result.code, 3);
  assert.equal((JSON.parse(result.stdout) as { error: { code: string } }).error.code, 'network');
  assert.equal(result.stderr, '');
});

test('an answer of a proxy is reported with who answered and what to do, and exits with 3', async (t) => {
  const answers: [number, string, string][] = [
    [
      413,
      '<title>413 Request Entity Too Large</title>',
      'refuses the request because it is too large: it answered 413',
    ],
    [403, '', 'blocks the request: it answered 403'],
    [407, '', 'requires a user name and password: it answered 407'],
    [
      200,
      '<title>Guest Wi-Fi</title>',
      'The response is not from a Chauffeur server: status 200 with the page “Guest Wi-Fi”',
    ],
  ];
  const server = createServer((_, response) => {
    const [status = 500, body] = answers[0] ?? [];
    response.writeHead(status, { server: 'squid/6.1', 'content-type': 'text/html' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const env = { SERVICE_API_URL: url, SERVICE_ACCESS_TOKEN: KEY.access, SERVICE_SECRET_KEY: KEY.secret };
  for (; answers.length > 0; answers.shift()) {
    const { code, stdout, stderr } = await runCli(['info', '--json'], { cwd: tempFolder(t), env });
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string; remedy: string } };
    assert.deepEqual([code, error.code], [3, 'network'], stderr);
    assert.ok(error.message.includes(answers[0]?.[2] ?? ''), error.message);
    assert.ok(error.remedy);
    assert.doesNotMatch(stderr, /retrying/);
  }
});

test('an untrusted certificate is reported once, with a remedy that works', async (t) => {
  const certificate = makeCertificate('localhost', 5);
  const server = createTlsServer(certificate, (_, response) => {
    response.end(JSON.stringify({ success: false, error: { code: 4023, message: 'Revoked.' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const cwd = tempFolder(t);
  writeFileSync(join(cwd, 'server.pem'), certificate.cert);
  const url = `https://localhost:${(server.address() as AddressInfo).port}/api/v1`;
  const env = { SERVICE_API_URL: url, SERVICE_ACCESS_TOKEN: KEY.access, SERVICE_SECRET_KEY: KEY.secret };
  const refused = await runCli(['info'], { cwd, env });
  assert.equal(refused.code, 3);
  assert.match(
    refused.stderr,
    /^error: The certificate of localhost:\d+ is self-signed\.\n {2}If you trust it, .*NODE_EXTRA_CA_CERTS/,
  );
  for (const remedy of [
    { NODE_EXTRA_CA_CERTS: 'server.pem' },
    { NODE_USE_SYSTEM_CA: '1', SSL_CERT_FILE: 'server.pem' },
  ])
    assert.equal((await runCli(['info'], { cwd, env: { ...env, ...remedy } })).code, 2, 'reaches the server');
});

test('--json prints one object to stdout, even for invalid flags', async (t) => {
  for (const args of [
    ['--json', 'nosuch'],
    ['genbuild', '--json'],
    ['--json'],
    ['media', '--json'],
    ['build', '--asset', 'none.yml', '--json'],
  ]) {
    const result = await runCli(args, { cwd: tempFolder(t) });
    assert.equal(result.code, 1);
    assert.ok((JSON.parse(result.stdout) as { error: { message: string } }).error.message, args.join(' '));
  }
});

test('the secret can be read from stdin, and is never printed', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const env = { SERVICE_API_URL: peer.url };
  const args = ['media', 'list', '--access', KEY.access, '--secret-stdin'];
  const result = await runCli(args, { cwd, env, stdin: `${KEY.secret}\n` });
  assert.equal(result.code, 0, result.stderr);
  peer.fail('media', { status: 401, code: 4024 });
  const refused = await runCli([...args, '--json'], { cwd, env, stdin: KEY.secret });
  assert.equal(refused.code, 2);
  const broken = await runCli(args, { cwd, env, stdin: `${KEY.secret} and more` });
  assert.match(broken.stderr, /contains a space/);
  for (const { stdout, stderr } of [result, refused, broken]) assert.doesNotMatch(stdout + stderr, /very-secret/);
});

test('global flags work before and after the command, and --version after a command is the version of the build', async (t) => {
  const cwd = tempFolder(t);
  assert.match((await runCli(['--version'], { cwd })).stdout, /^\d+\.\d+\.\d+\n$/);
  const before = await runCli(['--json', 'genbuild', '--version', '7'], { cwd });
  const after = await runCli(['genbuild', '--version', '7', '--json'], { cwd });
  assert.deepEqual(JSON.parse(before.stdout), JSON.parse(after.stdout));
  const peer = await startPeer(t);
  const SERVICE_API_URL = 'http://127.0.0.1:9/api/v1';
  assert.equal((await runCli(['--url', peer.url, 'media', 'list'], { cwd, peer, env: { SERVICE_API_URL } })).code, 0);
  assert.equal((await runCli(['media', 'list', '--url', peer.url], { cwd, peer, env: { SERVICE_API_URL } })).code, 0);
});

test('commands for players say to check the address of the game if the server is not reached', async (t) => {
  const cwd = tempFolder(t);
  const address = `127.0.0.1:${await findFreePort()}`;
  const { code, stderr } = await runCli(['install', `http://${address}/g/night-owls`, 'game'], { cwd });
  assert.equal(code, 3);
  assert.match(stderr, new RegExp(`error: ${address} refused the connection.\\n.*the address of the game`));
  assert.doesNotMatch(stderr, /--url|--upload|SERVICE_/);
});

test('the help of every command has an example', async (t) => {
  const cwd = tempFolder(t);
  const commands = [
    'push',
    'genbuild',
    'addchangelog',
    'build',
    'setfiles',
    'addfiles',
    'symbols',
    'media',
    'media move',
    'videos add',
    'info',
    'builds list',
    'doctor',
    'completion',
  ];
  for (const command of commands) {
    const { code, stdout } = await runCli([...command.split(' '), '--help'], { cwd });
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`Example:\\n  \\$ chauffeur ${command.split(' ')[0]}`), command);
  }
});

test('the help lists commands first, and the global options only once', async (t) => {
  const cwd = tempFolder(t);
  const { stdout } = await runCli(['--help'], { cwd });
  assert.match(stdout, /^Usage: chauffeur .*\n\n.*\n\nCommands:\n {2}push <folder> /);
  assert.ok(stdout.indexOf('Commands:') < stdout.indexOf('Global options:'));
  for (const command of [['push'], ['media'], ['media', 'add'], ['login']]) {
    const help = (await runCli([...command, '--help'], { cwd })).stdout;
    assert.match(help, /For global options, such as --json and --game, run chauffeur --help\.\n$/);
    assert.doesNotMatch(help, /--secret-stdin|--quiet|--help {2}/);
  }
});

test('Ctrl-C exits with 130, says how to continue and leaves no temporary file', async (t) => {
  const peer = await startPeer(t);
  const cwd = await gameFolder(t, 70 * MIB);
  const temp = tempFolder(t);
  const { child, exit } = startCli(['addfiles', '--tmp', temp], { cwd, peer });
  peer.onRequest = (kind) => {
    if (kind === 'chunk') child.kill('SIGINT');
  };
  // The retry ensures that the upload is not complete when the signal arrives.
  peer.fail('chunk', { status: 409, code: 4047 });
  const { code, stderr } = await exit;
  assert.equal(code, 130);
  assert.match(stderr, /run the same command again before/);
  assert.deepEqual(readdirSync(temp), []);
  peer.onRequest = () => {};
  const [session] = peer.sessions.values();
  if (session) session.bytes = Buffer.alloc(0);
  const again = await runCli(['addfiles', '--tmp', temp, '--quiet'], { cwd, peer });
  assert.equal(again.code, 0, again.stderr);
  assert.equal(peer.sessions.size, 1, 'continues the first session');
});

test('symbols are checked, and uploaded as a single file or a zip', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const sym = (name: string) => `MODULE Linux x86_64 ABC0 ${name}\nFILE 0 a.c\n`;
  writeTree(cwd, {
    'one/a.sym': sym('a'),
    'two/a.sym': sym('a'),
    'two/deep/b.sym': sym('b'),
    'two/readme.txt': 'x',
    'bad/c.sym': 'ELF',
  });
  const args = (path: string) => ['symbols', '--build-id', BUILD_ID, path];
  for (const path of ['one', 'one/a.sym', 'two']) {
    const result = await runCli(args(path), { cwd, peer });
    assert.equal(result.code, 0, result.stderr);
  }
  assert.equal(peer.files[0]?.toString(), sym('a'));
  assert.deepEqual(peer.files[0], peer.files[1]);
  assert.deepEqual(
    readZip(peer.files[2] ?? Buffer.alloc(0)).map(({ path }) => path),
    ['a.sym', 'deep/b.sym'],
  );
  assert.match((await runCli(args('bad'), { cwd, peer })).stderr, /c\.sym is not a Breakpad symbol file/);
});

test('symbols that the service already has are not uploaded again', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const sym = (name: string) => `MODULE Linux x86_64 ABC0 ${name}\n`;
  writeTree(cwd, { 'all/a.sym': sym('a'), 'all/b.sym': sym('b') });
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const run = (path: string) => runCli(['symbols', '--build-id', BUILD_ID, '--json', path], { cwd, peer });
  peer.symbols = [digest(sym('a'))];
  assert.equal(JSON.parse((await run('all')).stdout).skipped, 1);
  assert.equal(peer.files[0]?.toString(), sym('b'));
  peer.symbols.push(digest(sym('b')));
  const { code, stdout, stderr } = await run('all');
  const { symbols, skipped, modules } = JSON.parse(stdout);
  assert.deepEqual([code, symbols, skipped], [0, [], 2]);
  assert.deepEqual(
    modules.map(({ debug_file: name, state }: Record<string, string>) => [name, state]),
    [
      ['a', 'present'],
      ['b', 'present'],
    ],
  );
  assert.match(stderr, /Skipped 2 symbol files that the service already has\./);
  assert.equal(JSON.parse((await run('all/a.sym')).stdout).skipped, 1);
  assert.equal(peer.files.length, 1);
});

test('symbols are uploaded again if the service could not store them', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  writeTree(cwd, { 'a.sym': 'MODULE Linux x86_64 ABC0 a\n' });
  peer.fail('symbols', { status: 502, code: 5020 }, { status: 429, code: 4290, header: '0' });
  const { code, stderr } = await runCli(['symbols', '--build-id', BUILD_ID, 'a.sym'], { cwd, peer });
  assert.equal(code, 0, stderr);
  assert.equal(peer.requests.filter(({ kind }) => kind === 'symbols').length, 3);
});

test('images are uploaded with their kind, ten in each request', async (t) => {
  const peer = await startPeer(t);
  const cwd = tempFolder(t);
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const names = Array.from({ length: 12 }, (_, i) => `shot-${i}.png`);
  writeTree(cwd, Object.fromEntries(names.map((name) => [name, png])));
  assert.equal((await runCli(['media', 'add', ...names], { cwd, peer })).code, 0);
  assert.deepEqual(
    peer.requests.map(({ fields }) => fields.length),
    [11, 3],
  );
  assert.deepEqual(peer.requests[0]?.fields.slice(0, 2), [
    ['kind', 'screenshot'],
    ['file', 'shot-0.png'],
  ]);
  assert.equal((await runCli(['media', 'delete', 'cover'], { cwd, peer })).code, 0);
  assert.equal(peer.requests.at(-1)?.method, 'DELETE');
});

test('completion scripts include every command', async (t) => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCli(['completion', shell], { cwd: tempFolder(t) });
    assert.equal(code, 0);
    for (const word of ['push', 'genbuild', 'addfiles', 'thumbnail', 'engine-version'])
      assert.ok(stdout.includes(word), `${shell} ${word}`);
  }
});
