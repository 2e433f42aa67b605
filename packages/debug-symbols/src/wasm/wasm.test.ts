// Tests the conversion of WebAssembly modules: where functions, lines and inlined calls are in the file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { damage } from '../../test/damage.ts';
import { changedWasm, customSection, sampleWasm, sizedText } from '../../test/sample-wasm.ts';
import { convertFile } from '../convert-file.ts';
import { DebugSymbolsError } from '../error.ts';
import { identityRecords } from '../identity.ts';

/** Converts the first file with the others next to it. */
function convert(files: Readonly<Record<string, Uint8Array>>, counterpart?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'wasm-'));
  try {
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
    const options = counterpart === undefined ? {} : { counterpart: join(folder, counterpart) };
    const { identity, writer } = convertFile(join(folder, Object.keys(files)[0]!), options);
    return { identity, symbols: [...writer.write(identityRecords(identity))].join('') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const withoutDebugInfo = (...others: Uint8Array[]) =>
  changedWasm(({ name }) => !name.startsWith('.debug') && name !== 'name', ...others);

const ID = convert({ 'game.wasm': sampleWasm() }).identity.debugId;

const SYMBOLS = `MODULE Web wasm32 ${ID} game.wasm
INFO GENERATOR chauffeur-dump-syms
FILE 0 /src/game.cc
INLINE_ORIGIN 0 twice(int)
FUNC 47 26 0 Game::tick(int)
INLINE 0 4 0 0 53 1
47 1 3 0
48 b 4 0
53 1 2 0
54 10 4 0
64 5 5 0
69 1 0 0
6a 3 6 0
FUNC 6e 10 0 run
6e 1 9 0
6f f 10 0
`;

describe('WebAssembly', () => {
  it('has functions, lines and inlined calls at their offsets in the file', () => {
    assert.equal(convert({ 'game.wasm': sampleWasm() }).symbols, SYMBOLS);
  });

  it('has them in a debug file with the same code, which is given or found', () => {
    const debug = sampleWasm();
    const link = customSection('external_debug_info', sizedText('https://example.com/maps/other.wasm'));
    assert.equal(convert({ 'game.wasm': withoutDebugInfo(), 'game.debug.wasm': debug }).symbols, SYMBOLS);
    assert.equal(convert({ 'game.wasm': withoutDebugInfo(link), 'other.wasm': debug }).symbols, SYMBOLS);
    for (const [one, other] of [
      ['game.wasm', 'debug.wasm'],
      ['debug.wasm', 'game.wasm'],
    ] as const) {
      const files = { 'game.wasm': withoutDebugInfo(), 'debug.wasm': debug };
      assert.equal(convert({ [one]: files[one], [other]: files[other] }, other).symbols, SYMBOLS);
    }
  });

  it('has offsets of the file that players have, even if the debug file has others', () => {
    const moved = withoutDebugInfo();
    const start = customSection('about', sizedText('game'));
    const file = Buffer.concat([moved.subarray(0, 8), start, moved.subarray(8)]);
    const { symbols } = convert({ 'game.wasm': file, 'game.debug.wasm': sampleWasm() });
    const addressOf = (text: string) => Number.parseInt(/^FUNC (\S+) .* run$/m.exec(text)?.[1] ?? '', 16);
    assert.equal(addressOf(symbols), addressOf(SYMBOLS) + start.length);
  });

  it('refuses a debug file with other code', () => {
    const other = sampleWasm();
    other[0x50]! ^= 1;
    const files = { 'game.wasm': withoutDebugInfo(), 'debug.wasm': other };
    assert.throws(() => convert(files, 'debug.wasm'), { code: 'mismatch' });
    // One that is only next to it is left out.
    assert.doesNotMatch(convert({ 'game.wasm': withoutDebugInfo(), 'game.debug.wasm': other }).symbols, /FUNC/);
  });

  it('has the names of functions without debug information', () => {
    const { symbols } = convert({ 'game.wasm': changedWasm(({ name }) => !name.startsWith('.debug')) });
    const names = symbols.match(/^PUBLIC .*/gm);
    assert.deepEqual(names, ['PUBLIC 47 0 Game::tick(int)', 'PUBLIC 6e 0 run']);
  });

  it('has the id that the linker wrote, or that of its code', () => {
    const id = Uint8Array.from({ length: 16 }, (_, index) => index);
    const section = customSection('build_id', Buffer.concat([Uint8Array.of(16), id]));
    const { debugId, codeId } = convert({ 'game.wasm': withoutDebugInfo(section) }).identity;
    assert.deepEqual([debugId, codeId], ['030201000504070608090A0B0C0D0E0F0', '000102030405060708090A0B0C0D0E0F']);
    assert.equal(convert({ 'game.wasm': withoutDebugInfo() }).identity.debugId, ID);
  });

  it('has an id without a length before it, as tools write it that split a module', () => {
    for (const first of [0, 15, 16, 255]) {
      const id = Uint8Array.from({ length: 16 }, (_, index) => (index === 0 ? first : index));
      const { codeId } = convert({ 'game.wasm': withoutDebugInfo(customSection('build_id', id)) }).identity;
      assert.equal(codeId, Buffer.from(id).toString('hex').toUpperCase());
    }
    const { debugId } = convert({
      'game.wasm': withoutDebugInfo(customSection('build_id', new Uint8Array())),
    }).identity;
    assert.equal(debugId, ID);
  });

  it('gives a part of the symbols or a DebugSymbolsError for damaged files', () => {
    const component = sampleWasm();
    component[4] = 0x0d;
    assert.throws(() => convert({ 'game.wasm': component }), { code: 'unsupported' });
    for (const damaged of damage(sampleWasm(), 400, 5)) {
      try {
        convert({ 'game.wasm': damaged });
      } catch (error) {
        assert.ok(error instanceof DebugSymbolsError, String(error));
      }
    }
  });
});
