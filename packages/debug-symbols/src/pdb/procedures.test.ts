import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Procedure, readProcedures } from './procedures.ts';

const [END, THUNK, BLOCK, PROCEDURE, PROCEDURE_ID, SEPARATED] = [0x0006, 0x1102, 0x1103, 0x1110, 0x1147, 0x1132];
const [SITE, SITE2, SITE_END, ID_END] = [0x114d, 0x115d, 0x114e, 0x114f];

/** Builds a record. Numbers have 32 bits, `[value]` has 16, texts end with a zero, arrays of bytes are as they are. */
function record(kind: number, ...fields: (number | [number] | string | Uint8Array)[]): number[] {
  const body = [kind & 0xff, kind >> 8];
  for (const field of fields) {
    if (typeof field === 'string') body.push(...new TextEncoder().encode(field), 0);
    else if (typeof field === 'number') body.push(...new Uint8Array(Uint32Array.of(field).buffer));
    else if (field instanceof Uint8Array) body.push(...field);
    else body.push(field[0] & 0xff, field[0] >> 8);
  }
  return [body.length & 0xff, body.length >> 8, ...body];
}

function procedure(name: string, kind = PROCEDURE): number[] {
  return record(kind, 0, 0, 0, 0x40, 0, 0, 0x1005, 0x100, [1], Uint8Array.of(0), name);
}

function site(inlinee: number, ...annotations: number[]): number[] {
  return record(SITE, 0, 0, inlinee, Uint8Array.from(annotations));
}

function read(...records: number[][]): Procedure[] {
  const found: Procedure[] = [];
  readProcedures(Uint8Array.from(records.flat()), (item) => found.push(item));
  return found;
}

test('reads the name, type and code of a function', () => {
  const [found] = read(procedure('eng::step'), record(END));
  assert.deepEqual(found, {
    name: 'eng::step',
    type: 0x1005,
    typeIsId: false,
    thunk: false,
    code: { section: 1, offset: 0x100, size: 0x40 },
    separated: [],
    sites: [],
  });
  assert.equal(read(procedure('f', PROCEDURE_ID), record(ID_END))[0]?.typeIsId, true);
});

test('reads thunks and code that was moved away', () => {
  const [thunk] = read(record(THUNK, 0, 0, 0, 0x200, [2], [6], Uint8Array.of(0), 'RtlUnwind'), record(END));
  assert.deepEqual(
    [thunk?.name, thunk?.thunk, thunk?.code],
    ['RtlUnwind', true, { section: 2, offset: 0x200, size: 6 }],
  );
  const cold = record(SEPARATED, 0, 0, 0x20, 0, 0x900, 0x100, [1], [1]);
  assert.deepEqual(read(procedure('f'), cold, record(END), record(END))[0]?.separated, [
    { section: 1, offset: 0x900, size: 0x20 },
  ]);
});

test('nests inlined calls, also in blocks', () => {
  const found = read(
    procedure('f'),
    site(0x2001, 3, 1),
    record(BLOCK, 0, 0, 4, 0, [1], ''),
    record(SITE2, 0, 0, 0x2002, 9, Uint8Array.of(3, 2)),
    record(SITE_END),
    record(END),
    record(SITE_END),
    site(0x2003),
    record(SITE_END),
    record(END),
    procedure('g'),
    record(END),
  );
  assert.equal(found.length, 2);
  assert.deepEqual(
    found[0]?.sites.map(({ inlinee, depth, parent, annotations }) => [inlinee, depth, parent, ...annotations]),
    [
      [0x2001, 0, -1, 3, 1],
      [0x2002, 1, 0, 3, 2],
      [0x2003, 0, -1],
    ],
  );
});

test('reports a function whose end is missing, and stops at an impossible size', () => {
  assert.deepEqual(
    read(procedure('f'), procedure('g'), [1, 0, 0, 0], procedure('h')).map(({ name }) => name),
    ['f', 'g'],
  );
});

test('ignores calls that are nested too deep, but not what follows', () => {
  const deep = Array.from({ length: 5000 }, () => site(0x2001));
  const ends = Array.from({ length: 5000 }, () => record(SITE_END));
  const found = read(procedure('f'), ...deep, ...ends, record(END), procedure('g'), record(END));
  assert.deepEqual(
    found.map(({ name }) => name),
    ['f', 'g'],
  );
  assert.ok(found[0]!.sites.length < 600);
});
