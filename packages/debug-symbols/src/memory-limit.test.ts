import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDemangler } from './demangler-module.ts';
import { limitMemory } from './memory-limit.ts';

/** A module that exports its own memory, of one page. */
const MODULE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[5, 3, 1, 0, 1],
  ...[7, 5, 1, 1, 0x6d, 2, 0],
]);

function memoryOf(module: Uint8Array<ArrayBuffer>): WebAssembly.Memory {
  return new WebAssembly.Instance(new WebAssembly.Module(module)).exports.m as WebAssembly.Memory;
}

test('the memory of a module grows to its limit, and no further', () => {
  const memory = memoryOf(limitMemory(MODULE, 200 * 65_536 - 1));
  assert.equal(memory.grow(199), 1);
  assert.throws(() => memory.grow(1), RangeError);
});

test('a module keeps the memory with which it begins', () => {
  const memory = memoryOf(limitMemory(MODULE, 0));
  assert.equal(memory.buffer.byteLength, 65_536);
  assert.throws(() => memory.grow(1), RangeError);
});

test('a module without a memory, or one that is cut off, is refused', () => {
  assert.throws(() => limitMemory(MODULE.subarray(0, 8), 1), /no memory/);
  assert.throws(() => limitMemory(MODULE.subarray(0, 9), 1), /cut off/);
});

test('the demangler can be limited', () => {
  assert.ok(WebAssembly.validate(limitMemory(readDemangler(), 16 * 1024 * 1024)));
});
