import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnose, type RefFacts } from './diagnose.ts';

const GAME = '0193a1b2-0000-7000-8000-000000000001';
const BUILD = '0193a1b2-0000-7000-8000-000000000002';
const DELETED = '0193a1b2-0000-7000-8000-000000000003';
const ELSEWHERE = '0193a1b2-0000-7000-8000-000000000004';
const FACTS: RefFacts = {
  gameUid: GAME,
  slug: 'parking',
  versions: new Set(['spring-update']),
  builds: new Set([BUILD]),
  deleted: new Map([[DELETED, { version: '1.0', day: '2026-11-20' }]]),
  elsewhere: new Set([ELSEWHERE]),
};

describe('a refused build id', () => {
  const causes: [cause: string, refs: string[]][] = [
    ['missing', ['', '""', ' ']],
    ['empty', ['null', 'undefined', 'None', '00000000-0000-0000-0000-000000000000']],
    [
      'placeholder',
      [
        ...[
          'BUILD_ID',
          'YOUR_BUILD_ID',
          'your-build-id-here',
          '$BUILD_ID',
          '$\u007bBUILD_ID}',
          '%BUILD_ID%',
          '<build-id>',
        ],
        ...['{{ build_id }}', '__BUILD_ID__', '@BUILD_ID@', '…', '...', '"BUILD_ID"', 'buildId', 'build'],
        ...['xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx', 'SERVICE_GAMES_BUILD_ID', '$(BuildId)'],
      ],
    ],
    ['game_id', [GAME, GAME.toUpperCase(), 'parking']],
    ['version', ['1.0.0', 'v2.3', '1.4.0-beta.2', '2026.11.27', 'spring-update']],
    ['exists', [BUILD]],
    ['deleted', [DELETED, DELETED.toUpperCase()]],
    ['other_game', [ELSEWHERE]],
    ['truncated', ['0193a1b2', '0193a1b2-0000-7000', '4f2a9c1', '0193a1b200007000800000000000000a']],
    ['unknown', ['0193a1b2-0000-7000-8000-000000000009', 'release candidate', "<script>alert('x')"]],
  ];
  for (const [cause, refs] of causes)
    it(`is recognized as ${cause}`, () => {
      for (const ref of refs) assert.equal(diagnose(ref, FACTS).cause, cause, ref);
    });

  it('names the version and the day of a deleted build', () => {
    assert.equal(diagnose(DELETED, FACTS).problem, 'its build, 1.0, was deleted on 2026-11-20');
  });

  it('takes linear time', () => {
    const begun = process.threadCpuUsage();
    for (const text of ['build', '-', 'x-', '0', 'v1.', '{', '"', '__']) diagnose(text.repeat(20_000), FACTS);
    assert.ok(process.threadCpuUsage(begun).user < 2_000_000);
  });
});
