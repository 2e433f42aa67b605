import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ciWorkflow,
  credentialCommands,
  type PendingBuild,
  type Progress,
  quote,
  registerCommands,
  stepsOf,
  uploadCommands,
} from './first-build.ts';

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
  const choice = { version: '1.0.0', os: 'linux', arch: 'x86_64', folder: 'dist/my game' };

  it('contain the key if it is known, and dots otherwise', () => {
    const key = { access_token: 'token', secret_key: 'secret' };
    assert.match(credentialCommands('https://x/api/v1', key), /SERVICE_SECRET_KEY=secret$/);
    assert.match(credentialCommands('https://x/api/v1', null), /SERVICE_ACCESS_TOKEN=…\nexport SERVICE_SECRET_KEY=…$/);
  });

  it('contain the chosen version, platform and folder', () => {
    assert.match(registerCommands(choice), /genbuild --version 1\.0\.0 --os linux --arch x86_64\n/);
    assert.match(uploadCommands(choice), /--files 'dist\/my game'\n/);
    assert.match(ciWorkflow('https://x/api/v1', choice), /SERVICE_API_URL: https:\/\/x\/api\/v1/);
  });

  it('are quoted so that a shell reads the text as it was typed', () => {
    const text = fc.string({ unit: fc.constantFrom(...'a \'"$`\\!*é;|&') });
    fc.assert(
      fc.property(text, (typed) => {
        const echoed = execFileSync('sh', ['-c', `printf %s ${quote(typed)}`]).toString();
        assert.equal(echoed, typed);
      }),
      { numRuns: 30 },
    );
  });
});
