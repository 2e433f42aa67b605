import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SymbolAnswer } from '../../symbols/symbols.ts';
import { explainStop } from './walk-stops.ts';

const DLL = {
  module: 'physics.dll',
  debug_file: 'physics.pdb',
  debug_id: 'AB1',
  version: null,
  os: 'Windows NT',
  cpu: 'amd64',
  own: true,
};
const NEVER: SymbolAnswer = { state: 'missing', why: 'never_uploaded' };
const NO_SERVERS = { hasSources: false, lookup: null };

function compiled(hasUnwind: boolean): SymbolAnswer {
  return { state: 'compiled', cacheKey: 'key', cacheSize: 1, unwindKey: null, isPartial: !hasUnwind, hasUnwind };
}

describe('explainStop', () => {
  it('asks for the program that belongs to a PDB, except on 32-bit Windows', () => {
    const helpOf = (fields: object) => explainStop({ ...DLL, ...fields }, compiled(false), NO_SERVERS)?.help;
    assert.match(helpOf({}) ?? '', /a PDB has none for x64\. Upload physics\.dll together with the PDB\.$/);
    assert.match(helpOf({ cpu: 'arm64' }) ?? '', /none for arm64/);
    assert.match(helpOf({ cpu: 'x86' }) ?? '', /Upload its PDB, which has it on x86\.$/);
    assert.match(helpOf({ os: 'Linux', module: 'libgame.so' }) ?? '', /Upload libgame\.so itself as well\.$/);
  });

  it('asks for a module itself if nothing was uploaded', () => {
    const helpOf = (fields: object) => explainStop({ ...DLL, ...fields }, NEVER, NO_SERVERS)?.help;
    assert.match(helpOf({}) ?? '', /Upload physics\.dll itself: its unwind data is enough\. With its PDB/);
    assert.match(helpOf({ cpu: 'x86' }) ?? '', /Upload its PDB/);
    assert.match(helpOf({ os: 'Mac OS X' }) ?? '', /With its dSYM/);
    assert.match(helpOf({ os: 'Linux' }) ?? '', /With its debug information/);
  });

  it('asks for symbol servers for a module of the system, or says what they answered', () => {
    const help = (servers: Parameters<typeof explainStop>[2]) =>
      explainStop({ ...DLL, own: false }, NEVER, servers)?.help;
    assert.match(help(NO_SERVERS) ?? '', /CHAUFFEUR_SYMBOL_SOURCES/);
    assert.match(help({ hasSources: true, lookup: 'waiting' }) ?? '', /are being asked/);
    assert.match(help({ hasSources: true, lookup: 'absent' }) ?? '', /don't have it/);
  });

  it('says why an uploaded file cannot be used', () => {
    const unreadable = explainStop(DLL, { state: 'unreadable', problem: 'It is cut off.' }, NO_SERVERS);
    assert.deepEqual(unreadable, { why: 'unreadable', help: "The uploaded file can't be read: It is cut off." });
    const other = { state: 'missing', why: 'wrong_debug_id', uploadedDebugId: 'CD2' } as const;
    assert.match(explainStop(DLL, other, NO_SERVERS)?.help ?? '', /another build of it, CD2\./);
    assert.equal(explainStop({ ...DLL, debug_id: '' }, NEVER, NO_SERVERS)?.why, 'no_id');
  });

  it('is silent if the unwind data is there or on its way', () => {
    assert.equal(explainStop(DLL, compiled(true), NO_SERVERS), null);
    assert.equal(explainStop(DLL, { state: 'pending' }, NO_SERVERS), null);
    assert.equal(explainStop({ ...DLL, own: false, debug_id: '' }, NEVER, NO_SERVERS), null);
  });
});
