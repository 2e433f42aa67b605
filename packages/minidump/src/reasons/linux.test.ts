// Tests Linux and Android signals with their own codes, with sender codes, and with neither.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exceptionOf } from '../../test/exceptions.ts';
import { nameLinuxReason } from './linux.ts';

const CASES: [signal: number, code: number, expected: string][] = [
  [11, 1, 'SIGSEGV / SEGV_MAPERR'],
  [11, 2, 'SIGSEGV / SEGV_ACCERR'],
  [11, 3, 'SIGSEGV / SEGV_BNDERR'],
  [11, 4, 'SIGSEGV / SEGV_PKUERR'],
  [11, 8, 'SIGSEGV / SEGV_MTEAERR'],
  [11, 9, 'SIGSEGV / SEGV_MTESERR'],
  [7, 2, 'SIGBUS / BUS_ADRERR'],
  [8, 1, 'SIGFPE / FPE_INTDIV'],
  [4, 2, 'SIGILL / ILL_ILLOPN'],
  [5, 1, 'SIGTRAP / TRAP_BRKPT'],
  [31, 1, 'SIGSYS / SYS_SECCOMP'],
];
for (const [code, flags, expected] of CASES) {
  test(`names signal ${code} with code ${flags} ${expected}`, () => {
    assert.equal(nameLinuxReason(exceptionOf({ code, flags })), expected);
  });
}

test('names the sender of any signal', () => {
  const sent = (code: number, flags: number) => nameLinuxReason(exceptionOf({ code, flags }));
  assert.equal(sent(6, 0xfffffffa), 'SIGABRT / SI_TKILL');
  assert.equal(sent(8, 0xfffffffa), 'SIGFPE / SI_TKILL');
  assert.equal(sent(11, 0x80), 'SIGSEGV / SI_KERNEL');
  assert.equal(sent(15, 0xffffffff), 'SIGTERM / SI_QUEUE');
});

test('omits the code 0, which old writers put into every dump', () => {
  assert.equal(nameLinuxReason(exceptionOf({ code: 11, flags: 0 })), 'SIGSEGV');
  assert.equal(nameLinuxReason(exceptionOf({ code: 4, flags: 0 })), 'SIGILL');
});

test('prints a code as hex if only other signals define it', () => {
  assert.equal(nameLinuxReason(exceptionOf({ code: 7, flags: 9 })), 'SIGBUS / 0x00000009');
  assert.equal(nameLinuxReason(exceptionOf({ code: 6, flags: 1 })), 'SIGABRT / 0x00000001');
});

test('recognizes a requested dump', () => {
  assert.equal(nameLinuxReason(exceptionOf({ code: 0xffffffff })), 'DUMP_REQUESTED');
});

test('prints an unknown signal as hex', () => {
  assert.equal(nameLinuxReason(exceptionOf({ code: 64, flags: 0xfffffffa })), '0x00000040 / 0xfffffffa');
});
