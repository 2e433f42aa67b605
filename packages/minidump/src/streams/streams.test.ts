import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { fullDescription } from '../../test/dump-writer/full-description.ts';
import { Minidump } from '../minidump.ts';
import { STREAMS } from './streams.ts';

test('the registry has unique stream types, in ascending order, and unique names', () => {
  const numbers = STREAMS.map(({ type }) => type);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  assert.equal(new Set(STREAMS.map(({ name }) => name)).size, STREAMS.length);
});

test('the registry contains every exported stream', async () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  for (const file of files) {
    const exported = Object.values((await import(`./${file}`)) as Record<string, unknown>);
    for (const kind of exported.filter(isKind)) assert.ok(STREAMS.includes(kind), file);
  }
});

for (const endian of ['little', 'big'] as const) {
  test(`every stream of a complete ${endian}-endian dump is read without a warning`, () => {
    const dump = new Minidump(writeDump(fullDescription(endian)));
    for (const kind of STREAMS) assert.notEqual(dump.stream(kind), undefined, kind.name);
    assert.deepEqual(dump.warnings, []);
  });
}

test('a dump that is cut off anywhere is read or throws a MinidumpError', () => {
  const whole = writeDump(fullDescription('little'));
  for (let size = 0; size < whole.length; size += 97) {
    try {
      const dump = new Minidump(whole.subarray(0, size));
      for (const kind of STREAMS) dump.stream(kind);
    } catch (error) {
      assert.equal((error as Error).name, 'MinidumpError', `at ${size}`);
    }
  }
});

function isKind(value: unknown): value is (typeof STREAMS)[number] {
  return typeof value === 'object' && value !== null && 'type' in value && 'name' in value && 'read' in value;
}
