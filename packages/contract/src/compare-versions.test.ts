import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareVersions } from './compare-versions.ts';

/** Each list from the oldest to the newest version. */
const ORDERED: readonly (readonly string[])[] = [
  [
    '0.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
  ],
  ['1.2', '1.2.1', '1.9.9', '1.10', '1.10.1', '2'],
  ['2026.11', '2026.11a', '2026.11b', '2026.12'],
  ['build 9', 'build 10'],
  ['1.99999999999999999999', '1.100000000000000000000'],
];

for (const versions of ORDERED)
  test(`${versions.join(' < ')}`, () => {
    for (const [at, version] of versions.entries())
      for (const [otherAt, other] of versions.entries())
        assert.equal(Math.sign(compareVersions(version, other)), Math.sign(at - otherAt), `${version} ${other}`);
  });

const EQUAL = [
  ['1.2', '1.2.0'],
  ['v1.2', '1.2'],
  ['1.2.0+linux', '1.2.0+windows'],
  ['1.02', '1.2'],
  ['1.2-RC.1', '1.2-rc.1'],
] as const;

for (const [a, b] of EQUAL)
  test(`${a} is ${b}`, () => {
    assert.equal(compareVersions(a, b), 0);
  });

test('any versions have an order', () => {
  const version = fc.string({ maxLength: 8, unit: fc.constantFrom(...'012ab.-+v ') });
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      assert.ok(Math.sign(compareVersions(a, b)) === -Math.sign(compareVersions(b, a)));
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) assert.ok(compareVersions(a, c) <= 0);
    }),
  );
});
