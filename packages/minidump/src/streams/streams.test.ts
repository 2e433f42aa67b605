import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { fullDescription } from '../../test/dump-writer/full-description.ts';
import { Minidump } from '../minidump.ts';
import { STREAMS } from './streams.ts';

test('Numbers and names of the kinds are each there once, and rise.', () => {
  const numbers = STREAMS.map(({ type }) => type);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  assert.equal(new Set(STREAMS.map(({ name }) => name)).size, STREAMS.length);
});

test('Every file here that exports a kind is in the registry.', async () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  for (const file of files) {
    const exported = Object.values((await import(`./${file}`)) as Record<string, unknown>);
    for (const kind of exported.filter(isKind)) assert.ok(STREAMS.includes(kind), file);
  }
});

for (const endian of ['little', 'big'] as const) {
  test(`Every stream of a ${endian}-endian dump that has all of them is read without a warning.`, () => {
    const dump = new Minidump(writeDump(fullDescription(endian)));
    for (const kind of STREAMS) assert.notEqual(dump.stream(kind), undefined, kind.name);
    assert.deepEqual(dump.warnings, []);
  });
}

test('Cut off anywhere, a dump is read or refused with a MinidumpError.', () => {
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
