import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatReason } from './reasons.ts';

describe('formatReason', () => {
  it('names the kind of memory access and the address, and points out null pointers', () => {
    assert.equal(
      formatReason('SIGSEGV / SEGV_MAPERR', '0x14'),
      'Invalid memory access at 0x14 (likely a null pointer).',
    );
    assert.equal(
      formatReason('EXCEPTION_ACCESS_VIOLATION_WRITE', '0x7ff612340000'),
      'Invalid memory write at 0x7ff612340000.',
    );
    assert.equal(formatReason('SIGSEGV', null), 'Invalid memory access.');
  });

  it('leaves the address out if it is irrelevant', () => {
    assert.equal(formatReason('SIGABRT', '0x1f'), 'The game called abort().');
    assert.equal(formatReason('SIGFPE / FPE_INTDIV', '0x401000'), 'Integer division by zero.');
  });

  it('returns null for a missing or unknown reason', () => {
    assert.deepEqual([formatReason('EXC_SOMETHING', null), formatReason(null, '0x0')], [null, null]);
  });
});
