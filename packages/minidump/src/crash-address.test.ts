// Tests the address of a crash, and writers that lose it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walkScene } from '../test/scene.ts';

const registers = { rip: 0x401110n, rsp: 0x7fff0000n };
const procLimits = 'Limit                     Soft Limit           Hard Limit           Units\n';

test('an address of 0 is unknown in dumps of a writer that never has another one', () => {
  const addressOf = (more: object) => walkScene({ registers, more }).crash_info;
  assert.equal(addressOf({}).address, '0x0000000000000000');
  const ofRust = addressOf({ linux: { procLimits } });
  assert.equal(ofRust.address, null);
  assert.equal(ofRust.type, 'SIGSEGV / SEGV_MAPERR');
  const exception = { threadId: 77, code: 11, flags: 1, address: 0x14n };
  assert.equal(addressOf({ linux: { procLimits }, exception }).address, '0x0000000000000014');
});
