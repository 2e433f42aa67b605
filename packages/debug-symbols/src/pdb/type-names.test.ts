import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySource } from '../byte-source.ts';
import { FunctionNames } from './function-names.ts';
import { TypeNames } from './type-names.ts';
import { TypeStream } from './type-stream.ts';

const FIRST = 0x1000;
const [MODIFIER, POINTER, PROCEDURE, METHOD, PARAMETERS, ARRAY, STRUCTURE] = [
  0x1001, 0x1002, 0x1008, 0x1009, 0x1201, 0x1503, 0x1505,
];
const [FUNCTION_ID, METHOD_ID, STRING_ID] = [0x1601, 0x1602, 0x1605];
const [INT, CHAR, VOID, NO_TYPE] = [0x74, 0x70, 0x03, 0];
const [PLAIN, REFERENCE, MEMBER, METHOD_POINTER, RVALUE] = [0x1000c, 0x1002c, 0x1004c, 0x1006c, 0x1008c];
const CONST_POINTER = 0x1040c;

/** Builds records one after another and numbers them. Numbers have 32 bits, `[value]` has 16, texts end with a zero. */
class Records {
  readonly #bytes: number[] = [];
  #count = 0;

  add(kind: number, ...fields: (number | [number] | string)[]): number {
    const bytes = [kind & 0xff, kind >> 8];
    for (const field of fields) {
      if (typeof field === 'string') bytes.push(...new TextEncoder().encode(field), 0);
      else if (typeof field === 'number') bytes.push(...new Uint8Array(Uint32Array.of(field).buffer));
      else bytes.push(field[0] & 0xff, field[0] >> 8);
    }
    while (bytes.length % 4 !== 2) bytes.push(0xf1);
    this.#bytes.push(bytes.length & 0xff, bytes.length >> 8, ...bytes);
    return FIRST + this.#count++;
  }

  structure(name: string, size = 4): number {
    return this.add(STRUCTURE, [0], [0], 0, 0, 0, [size], name);
  }

  pointer(to: number, attributes = PLAIN): number {
    return this.add(POINTER, to, attributes);
  }

  constant(type: number): number {
    return this.add(MODIFIER, type, [1]);
  }

  procedure(result: number, ...parameters: number[]): number {
    const list = this.add(PARAMETERS, parameters.length, ...parameters);
    return this.add(PROCEDURE, result, [0], [parameters.length], list);
  }

  method(owner: number, self: number, ...parameters: number[]): number {
    const list = this.add(PARAMETERS, parameters.length, ...parameters);
    return this.add(METHOD, VOID, owner, self, [0], [parameters.length], list, 0);
  }

  /** A stream in which all records have the same hash. */
  get stream(): TypeStream {
    const header = new Uint32Array(14);
    header.set([20_040_203, 56, FIRST, FIRST + this.#count, this.#bytes.length, 7, 4, 1, 0, this.#count * 4]);
    const bytes = Uint8Array.of(...new Uint8Array(header.buffer), ...this.#bytes);
    return new TypeStream(new MemorySource(bytes), () => new MemorySource(new Uint8Array(this.#count * 4)));
  }

  names(): TypeNames {
    return new TypeNames(this.stream);
  }
}

test('puts const after what it applies to, but first where there is no pointer', () => {
  const records = new Records();
  const body = records.structure('eng::Body');
  const reference = records.pointer(records.constant(body), REFERENCE);
  const both = records.pointer(records.constant(CHAR), CONST_POINTER);
  const twice = records.pointer(records.constant(records.pointer(records.constant(VOID))));
  const value = records.constant(INT);
  const names = records.names();
  assert.equal(names.name(reference), 'eng::Body const&');
  assert.equal(names.name(both), 'char const* const');
  assert.equal(names.name(twice), 'void const* const*');
  assert.equal(names.name(value), 'const int');
  assert.equal(names.name(0x674), 'int*');
  assert.equal(names.name(records.pointer(INT, RVALUE)), '<unknown type>');
});

test('writes pointers to functions, methods and members', () => {
  const records = new Records();
  const body = records.structure('Body');
  const callback = records.pointer(records.procedure(VOID, INT, NO_TYPE));
  const table = records.pointer(callback);
  const method = records.add(POINTER, records.method(body, 0, INT), METHOD_POINTER, body, [0]);
  const member = records.add(POINTER, INT, MEMBER, body, [0]);
  const names = records.names();
  assert.equal(names.name(callback), 'void (*)(int, <NoType>)');
  assert.equal(names.name(table), 'void (**)(int, <NoType>)');
  assert.equal(names.name(method), 'void (Body::*)(int)');
  assert.equal(names.name(member), 'int Body::*');
});

test('counts the elements of arrays', () => {
  const records = new Records();
  const body = records.structure('Body', 12);
  const bodies = records.pointer(records.add(ARRAY, body, 0x23, [36], ''), REFERENCE);
  const row = records.add(ARRAY, INT, 0x23, [20], '');
  const table = records.pointer(records.add(ARRAY, row, 0x23, [60], ''), REFERENCE);
  const pointers = records.add(ARRAY, 0x670, 0x23, [16], '');
  const names = records.names();
  assert.equal(names.name(bodies), 'Body[3]&');
  assert.equal(names.name(table), 'int[3][5]&');
  assert.equal(names.name(pointers), 'char*[2]');
});

test('counts the elements of an array by the definition of a declared type', () => {
  const records = new Records();
  const declared = records.add(STRUCTURE, [0], [0x80], 0, 0, 0, [0], 'Body');
  const bodies = records.add(ARRAY, declared, 0x23, [36], '');
  records.structure('Other', 4);
  records.structure('Body', 12);
  assert.equal(records.names().name(bodies), 'Body[3]');
});

test('writes the parameters of functions and methods', () => {
  const records = new Records();
  const body = records.structure("`anonymous namespace'::Body");
  const plain = records.procedure(VOID, body, INT);
  const method = records.method(body, records.pointer(body), CHAR);
  const constant = records.method(body, records.pointer(records.constant(body)));
  const fixed = records.method(body, 0, INT);
  const names = records.names();
  assert.equal(names.signature(plain), '((anonymous namespace)::Body, int)');
  assert.equal(names.signature(method), '(char)');
  assert.equal(names.signature(constant), '() const');
  assert.equal(names.signature(fixed), '(int)');
  assert.equal(names.signature(0), '()');
});

test('takes a `this` of another type for the first parameter, as Rust has it', () => {
  const records = new Records();
  const group = records.structure('Group');
  const method = records.method(group, records.pointer(records.structure('Tag')), INT);
  const builtIn = records.method(group, 0x620);
  const names = records.names();
  assert.equal(names.signature(method), '(Tag*, int)');
  assert.equal(names.signature(builtIn), '(unsigned char*)');
});

test('names inlined functions with their namespace or class', () => {
  const types = new Records();
  const body = types.structure('eng::Body');
  const signature = types.procedure(VOID, INT);
  const ids = new Records();
  const scope = ids.add(STRING_ID, 0, "eng::`anonymous namespace'");
  const guard = ids.add(FUNCTION_ID, scope, signature, 'guard');
  const main = ids.add(FUNCTION_ID, 0, signature, 'main');
  const push = ids.add(METHOD_ID, body, signature, 'push');
  const names = new FunctionNames(ids.stream, types.names());
  assert.equal(names.inlined(guard), 'eng::(anonymous namespace)::guard(int)');
  assert.equal(names.inlined(main), 'main(int)');
  assert.equal(names.inlined(push), 'eng::Body::push(int)');
  assert.equal(names.inlined(scope), undefined);
  assert.equal(names.inlined(0x9999), undefined);
});

test('ends with types that contain themselves', () => {
  const records = new Records();
  const pointer = records.pointer(FIRST);
  const list = records.add(PARAMETERS, 2, FIRST + 2, FIRST + 2);
  const procedure = records.add(PROCEDURE, FIRST + 2, [0], [2], list);
  const names = records.names();
  assert.equal(names.name(pointer), '<unknown type>');
  assert.ok(names.name(procedure).length <= 16_384);
  assert.ok(names.signature(procedure).length <= 16_500);
});

test('ends with lists of parameters that grow with each level', () => {
  const records = new Records();
  let type = INT;
  for (let level = 0; level < 40; level++) type = records.procedure(type, ...Array(200).fill(type));
  const start = process.threadCpuUsage();
  records.names().signature(type);
  assert.ok(process.threadCpuUsage(start).user < 2_000_000);
});
