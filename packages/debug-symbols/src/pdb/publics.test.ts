import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { AddressMap } from './address-map.ts';
import { CoveredRanges } from './covered-ranges.ts';
import { readDecoratedName, writePublics } from './publics.ts';
import { CollectingSink } from './test-symbols.ts';

const ADDRESSES = new AddressMap(
  [
    { address: 0x1000, size: 0x100000, executable: true },
    { address: 0x200000, size: 0x1000, executable: false },
  ],
  undefined,
);

function record(name: string, flags: number, offset: number, section: number): number[] {
  const body = [0x0e, 0x11, flags, 0, 0, 0, ...new Uint8Array(Uint32Array.of(offset).buffer), section, 0];
  body.push(...new TextEncoder().encode(name), 0);
  return [body.length & 0xff, body.length >> 8, ...body];
}

function write(records: number[][], functions = new CoveredRanges()): string[] {
  const sink = new CollectingSink();
  const source = new MemorySource(Uint8Array.from(records.flat()));
  writePublics(source, ADDRESSES, functions, sink, readDecoratedName);
  return sink.publics.map(({ address, name }) => `${address.toString(16)} ${name}`);
}

test('undoes the decoration of C names of 32-bit code', () => {
  assert.deepEqual(readDecoratedName('_main'), { name: 'main', parameterSize: 0 });
  assert.deepEqual(readDecoratedName('___chkstk'), { name: '__chkstk', parameterSize: 0 });
  assert.deepEqual(readDecoratedName('_RtlUnwind@16'), { name: 'RtlUnwind', parameterSize: 16 });
  assert.deepEqual(readDecoratedName('@fast@12'), { name: 'fast', parameterSize: 4 });
  assert.deepEqual(readDecoratedName('@one@4'), { name: 'one', parameterSize: 0 });
  assert.deepEqual(readDecoratedName('vector@@16'), { name: 'vector', parameterSize: 0 });
  assert.deepEqual(readDecoratedName('plain'), { name: 'plain', parameterSize: 0 });
});

test('writes functions, and labels in code, but no data', () => {
  const records = [record('_function', 2, 0x10, 1), record('_label', 0, 0x20, 1), record('_data', 0, 0x10, 2)];
  assert.deepEqual(write(records), ['1010 function', '1020 label']);
});

test('leaves out what is inside of a function, and further names of an address', () => {
  const functions = new CoveredRanges();
  functions.add(0x1010, 0x10);
  const records = [record('_inside', 2, 0x18, 1), record('_after', 2, 0x20, 1), record('_alias', 2, 0x20, 1)];
  assert.deepEqual(write(records, functions), ['1020 after']);
});

test('reads streams that are larger than a chunk', () => {
  const records = Array.from({ length: 40_000 }, (_, index) =>
    record(`_symbol_with_a_long_name_${index}`, 2, index, 1),
  );
  assert.equal(write(records).length, 40_000);
});

test('stops at a record with an impossible size', () => {
  assert.deepEqual(write([record('_one', 2, 0, 1), [0, 0, 0, 0], record('_two', 2, 1, 1)]), ['1000 one']);
  assert.deepEqual(write([record('_one', 2, 0, 1), [0xff, 0xff, 0x0e, 0x11, 1]]), ['1000 one']);
});
