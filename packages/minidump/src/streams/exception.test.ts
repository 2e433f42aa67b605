import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDump } from '../../test/dump-writer/dump-writer.ts';
import { readWritten } from '../../test/dump-writer/read-written.ts';
import { Minidump } from '../minidump.ts';
import { EXCEPTION } from './exception.ts';

const record = {
  threadId: 11,
  code: 0xc000_0005,
  flags: 1,
  nested: 0x7fff_0000_1000n,
  address: 0xffff_f800_0000_1234n,
  parameters: [1n, 0xffff_ffff_ffff_ffffn],
};

for (const endian of ['little', 'big'] as const) {
  test(`reads the codes, address, parameters and registers in a ${endian}-endian dump`, () => {
    const context = Uint8Array.of(1, 2, 3);
    const dump = new Minidump(writeDump({ endian, exception: { ...record, context } }));
    const { context: location, ...read } = dump.stream(EXCEPTION)!;
    assert.deepEqual(read, record);
    assert.deepEqual(dump.at(location).array, context);
  });
}

test('reads 15 parameters of an exception that claims more, with a warning', () => {
  const { stream, warnings } = readWritten(EXCEPTION, { exception: { ...record, parameterCount: 4_000_000_000 } });
  assert.equal(stream?.parameters.length, 15);
  assert.deepEqual(warnings, ['ExceptionStream: claims 4000000000 parameters, but the format allows only 15']);
});
