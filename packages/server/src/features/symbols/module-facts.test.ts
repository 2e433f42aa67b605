// Which symbol files are accepted by their first line, and how debug ids are normalized.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalDebugId, readModuleFacts } from './module-facts.ts';

const read = (line: string) => readModuleFacts(Buffer.from(`${line}\nFILE 0 a.c\n`));
const GUID = '5A9832E5287241C1838ED98914E9B7FF';

test('a MODULE line provides the module with its base name and normalized id', () => {
  assert.deepEqual(read(`MODULE windows x86 ${GUID.toLowerCase()}1F C:\\out\\test app.pdb`), {
    debugFile: 'test app.pdb',
    debugId: `${GUID}1f`,
    os: 'windows',
    cpu: 'x86',
  });
});

test('OS names are recognized as their tools write them', () => {
  const osOf = (os: string) => {
    const facts = read(`MODULE ${os} x86 ${GUID}0 a`);
    return 'os' in facts ? facts.os : null;
  };
  const written = ['Linux', 'linux', 'Android', 'mac', 'macOS', 'iOS', 'windows', 'Windows', 'solaris', 'constructor'];
  assert.deepEqual(written.map(osOf), [
    ...['linux', 'linux', 'android', 'macos', 'macos', 'ios', 'windows', 'windows'],
    ...[null, null],
  ]);
});

for (const line of ['', 'ELF', 'MODULE Linux x86', `module Linux x86 ${GUID}0 a`]) {
  test(`${JSON.stringify(line)} is not a symbol file`, () => {
    assert.match((read(line) as { refused: string }).refused, /^its first line is not a MODULE line/);
  });
}

for (const name of ['..', 'a:b', 'nul', 'a.', 'x'.repeat(300), '/', 'a\u0001']) {
  test(`a module cannot be called ${JSON.stringify(name.slice(0, 20))}`, () => {
    assert.match((read(`MODULE Linux x86 ${GUID}0 ${name}`) as { refused: string }).refused, /^its module name/);
  });
}

test('an id is the same in any letter case', () => {
  const ids = fc.stringMatching(/^[0-9a-fA-F]{1,64}$/);
  fc.assert(
    fc.property(ids, (id) => {
      const canonical = canonicalDebugId(id);
      assert.equal(canonical.toLowerCase(), id.toLowerCase());
      for (const other of [id.toLowerCase(), id.toUpperCase(), canonical])
        assert.equal(canonicalDebugId(other), canonical);
    }),
  );
});

test('the id of a PDB without a GUID keeps its age separate', () => {
  assert.equal(canonicalDebugId('45d35f6c2A'), '45D35F6C2a');
});
