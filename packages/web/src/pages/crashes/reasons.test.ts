import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sayReason } from './reasons.ts';

describe('sayReason', () => {
  it('says what was done to memory, where, and that a small address comes of a null pointer', () => {
    assert.equal(
      sayReason('SIGSEGV / SEGV_MAPERR', '0x14'),
      'It used memory that is not there: 0x14, by a null pointer most likely.',
    );
    assert.equal(
      sayReason('EXCEPTION_ACCESS_VIOLATION_WRITE', '0x7ff612340000'),
      'It wrote to memory that it may not write to: 0x7ff612340000.',
    );
  });

  it('leaves the address out where it says nothing', () => {
    assert.equal(sayReason('SIGABRT', '0x1f'), 'It stopped itself with abort().');
    assert.equal(sayReason('SIGFPE / FPE_INTDIV', '0x401000'), 'It divided a whole number by zero.');
  });

  it('says nothing of a reason that it does not know, and of none', () => {
    assert.deepEqual([sayReason('EXC_SOMETHING', null), sayReason(null, '0x0')], [null, null]);
  });
});
