import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashSetupCode, isIssued, newSetupCode } from './setup-code.ts';

describe('a set-up code', () => {
  it('is random and easy to type', () => {
    const codes = Array.from({ length: 100 }, newSetupCode);
    assert.equal(new Set(codes).size, 100);
    for (const code of codes) assert.match(code, /^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/);
  });

  it('is accepted in capitals, with spaces, and as the link that the server prints', () => {
    const code = newSetupCode();
    const hashes = [hashSetupCode(newSetupCode()), hashSetupCode(code)];
    for (const entered of [
      code,
      code.toUpperCase(),
      ` ${code.replaceAll('-', ' ')} `,
      `http://localhost:4000/setup#code=${code}`,
    ])
      assert.ok(isIssued(entered, hashes), entered);
  });

  it('is refused if it differs in any character, is incomplete, or was never issued', () => {
    const code = newSetupCode();
    const hashes = [hashSetupCode(code)];
    for (const [at, character] of [...code].entries()) {
      if (character === '-') continue;
      const other = character === 'a' ? 'b' : 'a';
      assert.ok(!isIssued(code.slice(0, at) + other + code.slice(at + 1), hashes));
    }
    for (const entered of ['', code.slice(0, -1), newSetupCode()]) assert.ok(!isIssued(entered, hashes));
    assert.ok(!isIssued(code, []));
  });
});
