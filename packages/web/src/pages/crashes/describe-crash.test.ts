import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { formatAffectedVersions, formatReason, nameBuilds } from './describe-crash.ts';

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

  it('claims nothing about an address that the system did not give', () => {
    assert.equal(formatReason('SIGSEGV / SI_KERNEL', '0x0'), 'Access to an address outside the valid range.');
    assert.equal(
      formatReason('EXC_BAD_ACCESS / EXC_I386_GPFLT', '0x0'),
      'Access to an address outside the valid range.',
    );
    for (const reason of ['SIGSEGV / SI_TKILL', 'SIGBUS / SI_QUEUE'])
      assert.match(formatReason(reason, '0x3e8') ?? '', /sent this signal/);
  });

  it('returns null for a missing or unknown reason', () => {
    assert.deepEqual([formatReason('EXC_SOMETHING', null), formatReason(null, '0x0')], [null, null]);
  });
});

const builds = (...versions: string[]) => versions.map((version) => ({ version }));

describe('formatAffectedVersions', () => {
  it('says whether the newest build is affected, and whether it is the only one', () => {
    assert.equal(formatAffectedVersions(builds('1.2', '1.2'), 2, '1.2'), 'Only in 1.2 (newest build)');
    assert.equal(formatAffectedVersions(builds('1.1', '1.2'), 2, '1.2'), 'Also in 1.2 (newest build)');
    assert.equal(formatAffectedVersions(builds('1.1', '1.0'), 2, '1.2'), 'Not in 1.2 (newest build)');
    assert.equal(formatAffectedVersions(builds('1.1'), 1, '1.2'), 'Only in 1.1, not in 1.2 (newest build)');
  });

  it('claims nothing that builds outside the list may contradict', () => {
    assert.equal(formatAffectedVersions(builds('1.1'), 300, '1.2'), null);
    assert.equal(formatAffectedVersions(builds('1.2'), 300, '1.2'), 'Also in 1.2 (newest build)');
    assert.equal(formatAffectedVersions([], 0, '1.2'), null);
    assert.equal(formatAffectedVersions(builds('1.1'), 1, undefined), null);
    assert.equal(formatAffectedVersions(builds(''), 1, '1.2'), 'Not in 1.2 (newest build)');
  });
});

test('builds with the same version are named with their platforms', () => {
  const build = (version: string, os = 'linux') => ({ version, os, arch: 'x86_64' });
  assert.deepEqual(nameBuilds([build('1.1'), build('1.0'), build('1.1', 'windows'), build('', ''), build('', '')]), [
    '1.1 Linux x86_64',
    '1.0',
    '1.1 Windows x86_64',
    'deleted build',
    'deleted build',
  ]);
});
