import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { translateExpression } from './frame-expressions.ts';
import { registerNames } from './registers.ts';

const MODULE = {
  sink: { file: () => 0, origin: () => 0, function() {}, publicSymbol() {}, callFrames() {}, windowsFrame() {} },
  base: 0,
  littleEndian: true,
  addressSize: 8,
  registers: registerNames('x86_64')!,
  linkRegister: undefined,
  isCode: () => true,
};

describe('translateExpression', () => {
  const translate = (...bytes: number[]) => translateExpression(Uint8Array.from(bytes), MODULE);

  it('translates what the notation has operators for', () => {
    // The CFA of a function that aligns its stack: a pointer to it is saved below the frame pointer.
    assert.equal(translate(0x76, 0x78, 0x06), '$rbp -8 + ^');
    assert.equal(translate(0x77, 0x08, 0x38, 0x22), '$rsp 8 + 8 +');
    assert.equal(translate(0x92, 0x06, 0x10), '$rbp 16 +');
    assert.equal(translateExpression(Uint8Array.of(0x23, 0x10), MODULE, '.cfa'), '.cfa 16 +');
  });

  it('leaves out the rest', () => {
    assert.equal(translate(0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a), undefined);
    assert.equal(translate(), undefined);
    assert.equal(translate(0x22), undefined);
    assert.equal(translate(0x77), undefined);
    assert.equal(translate(0x30, 0x30), undefined);
    assert.equal(translate(...Array.from({ length: 1000 }, () => 0x30)), undefined);
  });
});
