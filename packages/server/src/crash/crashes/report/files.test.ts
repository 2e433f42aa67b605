import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '@chauffeur/contract/limits';
import fc from 'fast-check';
import { newId } from '../../../kernel/secrets/ids.ts';
import { attachmentName, firstIdOf, reportPartitionOf } from './files.ts';

describe('the name of an attachment', () => {
  for (const [sent, name] of [
    ['screen.png', 'screen.png'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Users\\ann\\save.dat', 'save.dat'],
    ['../../..', 'file'],
    ['', 'file'],
    ['cat\u202e.exe', 'cat.exe'],
    ['one \ttwo\u0000.txt', 'one two.txt'],
    ['.hidden', 'hidden'],
    [' two words .txt ', 'two words .txt'],
    ['日本語.log', '日本語.log'],
  ] as const)
    it(`is ${JSON.stringify(name)} for ${JSON.stringify(sent)}`, () => assert.equal(attachmentName(sent), name));

  it('gets a number if it is taken, whatever its case', () => {
    assert.equal(attachmentName('A.png', ['a.png']), 'A (2).png');
    assert.equal(attachmentName('a.png', ['a.png', 'a (2).png']), 'a (3).png');
  });

  it('is short, printable and without folders for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.boolean(), (sent, isTaken) => {
        const name = attachmentName(sent, isTaken ? [attachmentName(sent)] : []);
        assert.ok(name.length > 0 && name.length <= LIMITS.attachmentNameLength);
        assert.ok(name.isWellFormed());
        assert.doesNotMatch(name, /[\p{Cc}\u202a-\u202e\u2066-\u2069/\\]/u);
      }),
    );
  });
});

describe('partitionOf', () => {
  it('starts a month with the lowest id that the month can have', () => {
    const last = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
    assert.equal(reportPartitionOf(new Date(last)).name, 'crash_reports_2026_11');
    assert.equal(reportPartitionOf(new Date(last + 1)).name, 'crash_reports_2026_12');
    const boundary = reportPartitionOf(new Date(last)).to;
    assert.equal(boundary, reportPartitionOf(new Date(last + 1)).from);
    for (let no = 0; no < 100; no += 1) {
      assert.ok(newId(last) < boundary);
      assert.ok(newId(last + 1) >= boundary);
    }
  });

  it('continues from December to January', () => {
    assert.equal(firstIdOf(new Date('2026-12-31T23:00:00Z'), 1), firstIdOf(new Date('2027-01-01T00:00:00Z')));
  });
});
