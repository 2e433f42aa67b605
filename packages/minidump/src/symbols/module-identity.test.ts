// Tests which ids identify a module, and that they are the same in any form in which tools write them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalDebugId, identifyingCodeId, identifyingDebugId, identifyModule } from './module-identity.ts';

const GUID = '5A9832E5287241C1838ED98914E9B7FF';

describe('a debug id', () => {
  it('is the same in any letter case', () => {
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

  it('of a PDB without a GUID keeps its age separate', () => {
    assert.equal(canonicalDebugId('45d35f6c2A'), '45D35F6C2a');
  });

  it('identifies a module unless all digits before the age are zeros', () => {
    const zeros = ['0'.repeat(33), `${'0'.repeat(32)}1f`, '000000002', '0', ''];
    assert.deepEqual(zeros.map(identifyingDebugId), ['', '', '', '', '']);
    const padded = `BBA6FA10B8AAB33D${'0'.repeat(17)}`;
    assert.deepEqual([`${GUID}0`, padded, '45d35f6c2'].map(identifyingDebugId), [`${GUID}0`, padded, '45D35F6C2']);
  });

  it('that is not hexadecimal identifies nothing', () => {
    assert.deepEqual(['x', '\0', `${GUID}-1`, 'F'.repeat(65)].map(identifyingDebugId), ['', '', '', '']);
  });
});

describe('a code id', () => {
  it('is the same in any letter case, with or without zeros at its start', () => {
    for (const id of ['0A35DA3E12000', 'a35da3e12000', '0a35da3E12000'])
      assert.equal(identifyingCodeId(id), 'a35da3e12000');
    assert.equal(
      identifyingCodeId('D72C12AED6038D47F45DFA691004F72383844B6D'),
      'd72c12aed6038d47f45dfa691004f72383844b6d',
    );
  });

  it('of a file without a timestamp, or of another form, identifies nothing', () => {
    for (const id of ['0000000014000', '', '0', 'zz', '63CF138F-21000', 'f'.repeat(200)])
      assert.equal(identifyingCodeId(id), '', id);
  });
});

it('a module is named by its debug file, or by its code file if there is none', () => {
  const module = { debugFile: 'C:\\out\\game.pdb', debugId: `${GUID}1`, codeFile: 'C:\\games\\game.exe', codeId: '' };
  assert.equal(identifyModule(module).name, 'game.pdb');
  assert.equal(identifyModule({ ...module, debugFile: '' }).name, 'game.exe');
});
