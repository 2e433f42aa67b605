import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOfStep, findStep } from './used-codes.ts';

/** The secret and the codes of RFC 4226, appendix D. */
const SECRET = '12345678901234567890';
const CODES = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];

test('calculates the codes of RFC 4226', () => {
  assert.deepEqual(
    CODES.map((_, step) => codeOfStep(SECRET, step)),
    CODES,
  );
});

test('finds the step of the current, the previous and the next code, and of no other', () => {
  const now = 5 * 30_000 + 12_000;
  const steps = CODES.map((code) => findStep(SECRET, code, now));
  assert.deepEqual(steps, [null, null, null, null, 4, 5, 6, null, null, null]);
  for (const wrong of ['', '25467', '254676 ', '２５４６７６']) assert.equal(findStep(SECRET, wrong, now), null);
});
