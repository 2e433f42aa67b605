import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type BuildChoice,
  buildCommand,
  ciWorkflow,
  credentialCommands,
  gitlabJob,
  type PendingBuild,
  type Progress,
  pushCommand,
  stepsOf,
} from './first-build-steps.ts';

const NOTHING: Progress = { hasKey: false, build: null, pointers: [] };
const file = { filename: 'game.zip', size: 1 } as NonNullable<PendingBuild['file']>;
const build: PendingBuild = { build_id: 'b', version: '1', channel: 'stable', state: 'registered', file: null };
const states = (progress: Progress) => stepsOf(progress).map(({ state }) => state);

describe('stepsOf', () => {
  it('marks the steps as done in order', () => {
    assert.deepEqual(states(NOTHING), ['now', 'later', 'later', 'later', 'later']);
    const withKey = { ...NOTHING, hasKey: true };
    assert.deepEqual(states(withKey), ['done', 'now', 'later', 'later', 'later']);
    assert.deepEqual(states({ ...withKey, build }), ['done', 'done', 'now', 'later', 'later']);
    const uploaded: PendingBuild = { ...build, state: 'processing', file };
    assert.deepEqual(states({ ...withKey, build: uploaded }), ['done', 'done', 'done', 'now', 'later']);
    const ready: PendingBuild = { ...uploaded, state: 'ready' };
    assert.deepEqual(states({ ...withKey, build: ready }), ['done', 'done', 'done', 'done', 'now']);
    const pointers = [{ channel: 'stable', build_id: 'b' }];
    assert.deepEqual(states({ ...withKey, build: ready, pointers }), ['done', 'done', 'done', 'done', 'done']);
  });

  it('marks the scan as failed if the file was rejected', () => {
    const rejected: PendingBuild = { ...build, state: 'rejected', file };
    assert.deepEqual(states({ ...NOTHING, hasKey: true, build: rejected }), [
      'done',
      'done',
      'done',
      'failed',
      'later',
    ]);
  });
});

describe('the commands to copy', () => {
  const choice: BuildChoice = {
    ...{ version: '1.0.0', os: 'linux', arch: 'x86_64' },
    ...{ engine: 'unity', folder: 'dist/my game' },
  };

  it('contain the key if it is known, and dots otherwise', () => {
    const key = { access_token: 'token', secret_key: 'secret' };
    assert.match(credentialCommands('https://x/api/v1', key, 'sh'), /SERVICE_SECRET_KEY=secret$/);
    assert.match(
      credentialCommands('https://x/api/v1', null, 'sh'),
      /SERVICE_ACCESS_TOKEN=…\nexport SERVICE_SECRET_KEY=…$/,
    );
    assert.match(credentialCommands('https://x/api/v1', key, 'powershell'), /\$env:SERVICE_SECRET_KEY = 'secret'$/);
    assert.match(credentialCommands('https://x/api/v1', key, 'cmd'), /^set "SERVICE_API_URL=https:\/\/x\/api\/v1"\n/);
  });

  it('contain the chosen version, platform and folder', () => {
    const flags = '--version 1.0.0 --os linux --arch x86_64';
    assert.equal(pushCommand(choice, 'sh'), `chauffeur push 'dist/my game' ${flags}`);
    assert.equal(pushCommand(choice, 'cmd'), `chauffeur push "dist/my game" ${flags}`);
    const home = { ...choice, folder: '~/my game/' };
    assert.equal(pushCommand(home, 'sh'), `chauffeur push ~/'my game' ${flags}`);
    const windows = { ...choice, folder: 'C:\\my game\\' };
    assert.equal(pushCommand(windows, 'cmd'), `chauffeur push "C:\\my game" ${flags}`);
    assert.equal(pushCommand({ ...choice, folder: '/' }, 'sh'), `chauffeur push / ${flags}`);
    const job = gitlabJob('https://x', { ...choice, folder: 'out: #1' });
    assert.match(job, /\n {4}- \|\n {6}chauffeur push 'out: #1' --version "\$CI_COMMIT_TAG"/);
    const workflow = ciWorkflow('https://x', choice);
    assert.match(workflow, /SERVICE_API_URL: https:\/\/x\/api\/v1/);
    assert.match(workflow, /push 'dist\/my game' --version "\$VERSION" --os linux --arch x86_64\n/);
  });

  it('register the build before it is compiled, with the file that its engine reads', () => {
    const build = 'chauffeur build --version 1.0.0 --os linux --arch x86_64 --write';
    assert.equal(buildCommand(choice, 'sh'), `${build} Assets/ChauffeurBuild.cs`);
    assert.equal(buildCommand({ ...choice, engine: 'unreal' }, 'cmd'), `${build} Config/DefaultEngine.ini`);
    const web: BuildChoice = { ...choice, engine: 'web', folder: '~/my game/' };
    assert.equal(buildCommand(web, 'sh'), `${build} ~/'my game/chauffeur.json'`);
    for (const recipe of [ciWorkflow('https://x', choice), gitlabJob('https://x', choice)])
      assert.match(recipe, /chauffeur build .*\n[\s\S]*# Compile the game[\s\S]*chauffeur push /);
    const secrets = /SERVICE_SECRET_KEY: /g;
    assert.equal(ciWorkflow('https://x', choice).match(secrets)?.length, 2);
  });
});
