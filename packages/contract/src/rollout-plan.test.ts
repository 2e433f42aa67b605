import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  findStepProblem,
  formatHours,
  formatReaction,
  formatSteps,
  parseGuards,
  parseSteps,
  writeSteps,
} from './rollout-plan.ts';

const problemOf = (text: string) => {
  const parsed = parseSteps(text);
  return 'problem' in parsed ? parsed.problem : null;
};

test('steps are read from shares with their times', () => {
  assert.deepEqual(parseSteps(' 5%:4h, 25:1d,100% '), {
    steps: [{ share: 5, hours: 4 }, { share: 25, hours: 24 }, { share: 100 }],
  });
  assert.deepEqual(parseSteps('10%'), { steps: [{ share: 10 }] });
  assert.deepEqual(parseSteps('10%:90m,20%'), { steps: [{ share: 10, hours: 1.5 }, { share: 20 }] });
});

test('steps that make no plan are refused, with the step', () => {
  for (const text of ['', '%', '5%:', '5%:4', '5%:4w', '0%:1h,100%', '101%', '5%:1h 10%', '1e1%', '5%:31d,100%'])
    assert.ok(problemOf(text) !== null, text);
  assert.match(problemOf('5%:1h,5%:1h,100%') ?? '', /larger than the one before/);
  assert.match(problemOf('100%') ?? '', /Promote the version instead/);
  assert.match(problemOf('5%,100%') ?? '', /only the last step/);
  assert.match(problemOf('5%:1h') ?? '', /Add a step of 100%/);
  assert.match(problemOf('5%:1h,100%:1h') ?? '', /no time/);
  assert.match(problemOf(Array.from({ length: 21 }, (_, index) => `${index + 1}%:1h`).join(',')) ?? '', /at most 20/);
});

test('steps are written as they are read, and formatted for people', () => {
  assert.equal(writeSteps([{ share: 5, hours: 1.5 }, { share: 25, hours: 48 }, { share: 100 }]), '5%:90m,25%:2d,100%');
  assert.equal(formatSteps([{ share: 5, hours: 4 }, { share: 100 }]), '5% for 4 hours, then all devices');
  assert.equal(formatSteps([{ share: 5 }]), '5% until you decide');
  assert.deepEqual([1 / 60, 1, 24, 36].map(formatHours), ['1 minute', '1 hour', '1 day', '36 hours']);
  const plan = fc
    .uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 19 })
    .chain((shares) => fc.tuple(fc.constant(shares.sort((a, b) => a - b)), fc.integer({ min: 1, max: 43_200 })))
    .map(([shares, minutes]) => [...shares.map((share) => ({ share, hours: minutes / 60 })), { share: 100 }]);
  fc.assert(
    fc.property(plan, (steps) => {
      assert.equal(findStepProblem(steps), null);
      assert.deepEqual(parseSteps(writeSteps(steps)), { steps });
    }),
  );
});

test('guards are read with what they do', () => {
  assert.deepEqual(parseGuards('none'), { guards: [] });
  assert.deepEqual(parseGuards('crash_free, boot:abort'), {
    guards: [
      { guard: 'crash_free', action: 'pause' },
      { guard: 'boot', action: 'abort' },
    ],
  });
  assert.deepEqual(parseGuards('boot:pause:0.5,crash_free:abort:50'), {
    guards: [
      { guard: 'boot', action: 'pause', tolerance: 0.5 },
      { guard: 'crash_free', action: 'abort', tolerance: 50 },
    ],
  });
  const all = parseGuards('all:abort');
  assert.equal('guards' in all && all.guards.length, 4);
  const wrong = ['', 'crash', 'boot:stop', 'boot,boot', 'all,boot', 'boot:abort:pause', 'none,boot', 'boot:0.5'];
  for (const text of [...wrong, 'boot:pause:', 'boot:pause:-1', 'boot:pause:50.1', 'boot:pause:1e1', 'boot:pause:1:1'])
    assert.ok('problem' in parseGuards(text), text);
});

test('a guard that was overruled is not said to do anything', () => {
  const setting = { guard: 'boot', action: 'abort', tolerance: 0.5, overruled: false } as const;
  assert.equal(formatReaction(setting), 'Aborts, beyond 0.5 points');
  assert.equal(formatReaction({ ...setting, action: 'pause', tolerance: 0 }), 'Pauses');
  assert.equal(formatReaction({ ...setting, overruled: true }), 'Overruled');
});
