import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { VERSION, VERSION_HEADER } from '@chauffeur/contract/version';
import { startServer, type TestServer } from './setup/server.ts';

/** Used instead of the real program, which the tests of releases build and run. */
const PROGRAM = '#!/bin/sh\necho "9.8.7 $0"\n';
const PLATFORMS = ['npm', 'linux-x64', 'linux-arm64', 'macos-arm64', 'macos-x64'] as const;
/** What the script uses. Its PATH has nothing else, so that Node is missing, for example. */
const TOOLS = [
  'sh',
  'cat',
  'chmod',
  'curl',
  'cut',
  'gunzip',
  'gzip',
  'mkdir',
  'mktemp',
  'mv',
  'rm',
  'sha256sum',
  'uname',
];

/** Writes a folder as `npm run release` does, with `program` for every platform. */
async function writeRelease(platforms: readonly string[] = PLATFORMS, program = PROGRAM): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-cli-'));
  folders.push(folder);
  const bytes = gzipSync(program);
  const files = platforms.map((platform) => ({
    platform,
    name: platform === 'npm' ? 'chauffeur.tgz' : `chauffeur-${platform}.gz`,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }));
  for (const { name } of files) await writeFile(join(folder, name), bytes);
  await writeFile(join(folder, 'command.json'), JSON.stringify({ version: '9.8.7', files }));
  await writeFile(join(folder, 'SHA256SUMS'), files.map(({ sha256, name }) => `${sha256}  ${name}\n`).join(''));
  await writeFile(join(folder, 'notes.txt'), 'not handed out');
  return folder;
}

async function serve(folder: string): Promise<TestServer> {
  const server = await startServer({ env: { CHAUFFEUR_CLI_FOLDER: folder } });
  servers.push(server);
  return server;
}

const folders: string[] = [];
const servers: TestServer[] = [];
/** A server with programs for all platforms, and the script that it hands out. */
let full: TestServer;
let script: string;

before(async () => {
  full = await serve(await writeRelease());
  script = await fetchText(`${full.url}/cli/install.sh`);
});
after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

type Run = { code: number | null; stdout: string; stderr: string };

async function finish(child: ChildProcess): Promise<Run> {
  const { stdout, stderr } = child;
  assert.ok(stdout !== null && stderr !== null);
  const [out, error, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code: code as number | null, stdout: out, stderr: error };
}

/** Pipes a script into sh, as the line to paste does, in an empty home. */
async function install(t: TestContext, script: string, tools: Readonly<Record<string, string>> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'chauffeur-home-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const bin = join(home, 'tools');
  await mkdir(bin);
  for (const tool of TOOLS) await symlink(await find(tool), join(bin, tool));
  for (const [name, content] of Object.entries(tools)) {
    await rm(join(bin, name), { force: true });
    await writeFile(join(bin, name), content);
    await chmod(join(bin, name), 0o755);
  }
  const child = spawn('sh', [], { cwd: home, env: { HOME: home, PATH: bin } });
  child.stdin.end(script);
  const program = join(home, '.local/bin/chauffeur');
  const installed = async () => (await readdir(join(home, '.local/bin')).catch(() => [])).sort();
  return { ...(await finish(child)), program, installed };
}

async function find(tool: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, tool);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  throw new Error(`${tool} is not installed`);
}

const fetchText = async (url: string): Promise<string> => (await fetch(url)).text();

describe('the command that a server offers', () => {
  it('has lines to install it, and files with checksums', async () => {
    const { api, url } = full;
    const { data } = (await (await fetch(`${api}/public/cli`)).json()) as { data: Record<string, unknown> };
    assert.equal(data.version, '9.8.7');
    assert.deepEqual(data.install, {
      sh: `curl -fsSL ${url}/cli/install.sh | sh`,
      powershell: `irm ${url}/cli/install.ps1 | iex`,
      npm: `npm install -g ${url}/cli/chauffeur.tgz`,
    });
    const files = data.files as { platform: string; url: string; sha256: string; size: number }[];
    assert.deepEqual(
      files.map(({ platform }) => platform),
      PLATFORMS,
    );
    for (const file of files) {
      const bytes = Buffer.from(await (await fetch(file.url)).arrayBuffer());
      assert.equal(bytes.length, file.size);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256);
    }
  });

  it('is not found on a server without one, and no other file of the folder is handed out', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'chauffeur-cli-'));
    folders.push(empty);
    const without = await serve(empty);
    assert.equal((await fetch(`${without.api}/public/cli`)).status, 404);
    assert.equal((await fetch(`${without.url}/cli/install.sh`)).status, 404);
    for (const path of ['notes.txt', '%2e%2e/package.json']) {
      assert.equal((await fetch(`${full.url}/cli/${path}`)).status, 404, path);
    }
  });
});

describe('the script for Linux and macOS', () => {
  it('installs the program', async (t) => {
    const { code, stderr, program, installed } = await install(t, script);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Installed chauffeur 9\.8\.7/);
    assert.match(stderr, /Add it to your PATH/);
    assert.match(stderr, new RegExp(`export SERVICE_API_URL=${full.url}/api/v1`));
    assert.deepEqual(await installed(), ['chauffeur']);
    assert.equal((await finish(spawn(program))).stdout, `9.8.7 ${program}\n`);
  });

  it('installs nothing if the download is damaged, cannot be had, or does not start', async (t) => {
    const folder = await writeRelease();
    const { url } = await serve(folder);
    const other = await fetchText(`${url}/cli/install.sh`);
    for (const platform of PLATFORMS.slice(1))
      await writeFile(join(folder, `chauffeur-${platform}.gz`), gzipSync('other'));
    const damaged = await install(t, other);
    assert.equal(damaged.code, 1);
    assert.match(damaged.stderr, /The download is damaged/);
    assert.deepEqual(await damaged.installed(), []);

    for (const platform of PLATFORMS.slice(1)) await rm(join(folder, `chauffeur-${platform}.gz`));
    const missing = await install(t, other);
    assert.notEqual(missing.code, 0);
    assert.deepEqual(await missing.installed(), []);

    const broken = await serve(await writeRelease(PLATFORMS, '#!/bin/sh\nexit 127\n'));
    const unable = await install(t, await fetchText(`${broken.url}/cli/install.sh`));
    assert.equal(unable.code, 1);
    assert.match(unable.stderr, /does not start/);
    assert.deepEqual(await unable.installed(), []);
  });

  it('does nothing if it was cut off', async (t) => {
    const end = script.lastIndexOf('main');
    for (const length of [end, Math.floor(end * 0.9), Math.floor(end / 2)]) {
      const { installed } = await install(t, script.slice(0, length));
      assert.deepEqual(await installed(), []);
    }
  });

  it('uses npm where the server has no program, and says what to install otherwise', async (t) => {
    const { url } = await serve(await writeRelease(['npm']));
    const other = await fetchText(`${url}/cli/install.sh`);
    const without = await install(t, other);
    assert.equal(without.code, 1);
    assert.match(without.stderr, /no program for linux-\w+\. Install Node 22\.15 or newer/);
    const npm = { node: `#!/bin/sh\nexec ${process.execPath} "$@"\n`, npm: '#!/bin/sh\necho "npm $*"\n' };
    const installed = await install(t, other, npm);
    assert.equal(installed.code, 0);
    assert.equal(installed.stdout, `npm install -g ${url}/cli/chauffeur.tgz\n`);
    assert.equal((await install(t, other, { ...npm, node: '#!/bin/sh\nexit 1\n' })).code, 1);
  });

  it('knows the platforms', async (t) => {
    const uname = (os: string, arch: string) => `#!/bin/sh\n[ "$1" = -s ] && echo ${os} || echo ${arch}\n`;
    const cases = [
      ['Linux', 'aarch64', 'linux-arm64'],
      ['Darwin', 'arm64', 'macos-arm64'],
      ['Darwin', 'x86_64', 'macos-x64'],
    ] as const;
    for (const [os, arch, platform] of cases) {
      const { code, stderr } = await install(t, script, { uname: uname(os, arch), sysctl: '#!/bin/sh\nexit 1\n' });
      assert.equal(code, 0, stderr);
      assert.match(stderr, new RegExp(`Downloading .*/chauffeur-${platform}\\.gz`));
    }
    const translated = await install(t, script, { uname: uname('Darwin', 'x86_64'), sysctl: '#!/bin/sh\necho 1\n' });
    assert.match(translated.stderr, /chauffeur-macos-arm64\.gz/);
    const other = await install(t, script, { uname: uname('MINGW64_NT', 'x86_64') });
    assert.equal(other.code, 1);
    assert.match(other.stderr, /use PowerShell: irm /);
  });
});

describe('a request of the command', () => {
  const ask = (agent: string, path = '/tool/info') => fetch(`${full.api}${path}`, { headers: { 'user-agent': agent } });

  it('learns the version of the server', async () => {
    const response = await ask(`chauffeur-cli/${VERSION}`);
    assert.equal(response.status, 401);
    assert.equal(response.headers.get(VERSION_HEADER), VERSION);
    assert.equal((await ask('curl/8')).headers.get(VERSION_HEADER), null);
  });

  it('is refused if it has another major version, before its key is looked up', async () => {
    const response = await ask('chauffeur-cli/999.0.0');
    assert.equal(response.status, 426);
    const { error } = (await response.json()) as { error: { code: number; message: string } };
    assert.equal(error.code, 4260);
    assert.match(error.message, /chauffeur 999\.0\.0, and the server is version/);
  });

  it('can always ask for the version to install', async () => {
    assert.notEqual((await ask('chauffeur-cli/999.0.0', '/public/cli')).status, 426);
  });
});
