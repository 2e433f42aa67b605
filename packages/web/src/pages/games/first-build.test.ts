import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type BuildOnTheWay,
  ciRecipe,
  keyLines,
  quote,
  registerLines,
  type Seen,
  stepsOf,
  uploadLines,
} from './first-build.ts';

const NOTHING: Seen = { hasKey: false, build: null, pointers: [] };
const file = { filename: 'game.zip', size: 1 } as NonNullable<BuildOnTheWay['file']>;
const build: BuildOnTheWay = { build_id: 'b', version: '1', channel: 'stable', state: 'registered', file: null };
const states = (seen: Seen) => stepsOf(seen).map(({ state }) => state);

describe('the steps of a first build', () => {
  it('are done in their order, as the service sees each', () => {
    assert.deepEqual(states(NOTHING), ['now', 'later', 'later', 'later', 'later']);
    const withKey = { ...NOTHING, hasKey: true };
    assert.deepEqual(states(withKey), ['done', 'now', 'later', 'later', 'later']);
    assert.deepEqual(states({ ...withKey, build }), ['done', 'done', 'now', 'later', 'later']);
    const uploaded: BuildOnTheWay = { ...build, state: 'processing', file };
    assert.deepEqual(states({ ...withKey, build: uploaded }), ['done', 'done', 'done', 'now', 'later']);
    const ready: BuildOnTheWay = { ...uploaded, state: 'ready' };
    assert.deepEqual(states({ ...withKey, build: ready }), ['done', 'done', 'done', 'done', 'now']);
    const pointers = [{ channel: 'stable', build_id: 'b' }];
    assert.deepEqual(states({ ...withKey, build: ready, pointers }), ['done', 'done', 'done', 'done', 'done']);
  });

  it('stop at a scan that rejects the file', () => {
    const rejected: BuildOnTheWay = { ...build, state: 'rejected', file };
    assert.deepEqual(states({ ...NOTHING, hasKey: true, build: rejected }), [
      'done',
      'done',
      'done',
      'failed',
      'later',
    ]);
  });
});

describe('the lines to copy', () => {
  const choice = { version: '1.0.0', os: 'linux', arch: 'x86_64', folder: 'dist/my game' };

  it('hold the key while it is known, and dots after', () => {
    const key = { access_token: 'token', secret_key: 'secret' };
    assert.match(keyLines('https://x/api/v1', key), /SERVICE_SECRET_KEY=secret$/);
    assert.match(keyLines('https://x/api/v1', null), /SERVICE_ACCESS_TOKEN=…\nexport SERVICE_SECRET_KEY=…$/);
  });

  it('name the version, the platform and the folder that were chosen', () => {
    assert.match(registerLines(choice), /genbuild --version 1\.0\.0 --os linux --arch x86_64\n/);
    assert.match(uploadLines(choice), /--files 'dist\/my game'\n/);
    assert.match(ciRecipe('https://x/api/v1', choice), /SERVICE_API_URL: https:\/\/x\/api\/v1/);
  });

  it('reach a shell as the text that was typed, whatever it is', () => {
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
