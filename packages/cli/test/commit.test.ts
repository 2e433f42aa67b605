// The commit that a build is registered with.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Peer, startPeer } from './setup/peer.ts';
import { runCli } from './setup/run-cli.ts';
import { tempFolder, writeTree } from './setup/temp.ts';

const commitOf = (peer: Peer) =>
  peer.requests
    .filter(({ kind }) => kind === 'build')
    .map(({ fields }) => Object.fromEntries(fields ?? []).commit ?? null);

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Nora', '-c', 'user.email=nora@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** A repository with one commit, and a build.yml in a folder of it. */
async function repository(t: TestContext): Promise<{ cwd: string; commit: string }> {
  const cwd = tempFolder(t);
  writeTree(cwd, { 'game/run': 'program' });
  assert.equal((await runCli(['genbuild', '--version', '1.0', '--os', 'linux', '--arch', 'x64'], { cwd })).code, 0);
  git(cwd, 'init', '-q');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'Begin');
  return { cwd, commit: git(cwd, 'rev-parse', 'HEAD') };
}

test('build and push register the current commit of the repository', async (t) => {
  const peer = await startPeer(t);
  peer.builds = [];
  const { cwd, commit } = await repository(t);
  mkdirSync(join(cwd, 'elsewhere'));
  assert.equal((await runCli(['build'], { cwd, peer })).code, 0);
  const elsewhere = await runCli(['build', '--asset', '../build.yml'], { cwd: join(cwd, 'elsewhere'), peer });
  assert.equal(elsewhere.code, 0, elsewhere.stderr);
  const pushed = await runCli(['push', 'game', '--asset', 'build.yml', '--no-wait'], { cwd, peer });
  assert.equal(pushed.code, 0, pushed.stderr);
  assert.deepEqual(commitOf(peer), [commit, commit, commit]);
});

test('--commit replaces it, --no-commit leaves it out, and a folder without a repository has none', async (t) => {
  const peer = await startPeer(t);
  const { cwd } = await repository(t);
  assert.equal((await runCli(['build', '--commit', '84120'], { cwd, peer })).code, 0);
  assert.equal((await runCli(['build', '--no-commit'], { cwd, peer })).code, 0);
  const plain = tempFolder(t);
  assert.equal(
    (await runCli(['genbuild', '--version', '1.0', '--os', 'linux', '--arch', 'x64'], { cwd: plain })).code,
    0,
  );
  assert.equal((await runCli(['build'], { cwd: plain, peer })).code, 0);
  assert.deepEqual(commitOf(peer), ['84120', null, null]);
  const refused = await runCli(['build', '--commit', 'a b'], { cwd, peer });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /--commit/);
  assert.equal(commitOf(peer).length, 3);
});
