// Tests the text of a symbol file as a whole: line ends, chunks, damaged lines, and files that are not symbol files.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cfiIn, compileText, MODULE, placeIn, problemsOf } from '../../../test/compile-text.ts';
import { MinidumpError } from '../../error.ts';

describe('compiling a symbol file', () => {
  it('accepts lines that end with CR LF or CR CR LF, and a last line without an end', () => {
    for (const end of ['\n', '\r\n', '\r\r\n']) {
      const text = `${MODULE}FILE 1 a.c\nFUNC 10 8 0 f g\n10 8 5 1\nSTACK CFI INIT 10 8 .cfa: 1`.replaceAll('\n', end);
      const { cache } = compileText(text);
      assert.partialDeepStrictEqual(cache.placeAt(0x10), { function: 'f g', file: 'a.c', line: 5 });
      assert.deepEqual(cache.cfiAt(0x10), ['.cfa: 1']);
      assert.equal(cache.module.name, 'game');
    }
  });

  it('accepts chunks of any size', () => {
    const text = `${MODULE}FILE 1 a.c\nFUNC 10 8 0 f\n10 4 5 1\n14 4 6 1\n\nSTACK CFI INIT 10 8 .cfa: 1\n`;
    const whole = compileText(text).bytes;
    for (const size of [1, 2, 3, 7, 64]) assert.deepEqual(compileText(text, size).bytes, whole);
  });

  it('replaces invalid UTF-8 in names', () => {
    const text = Buffer.concat([
      Buffer.from(`${MODULE}FUNC 10 8 0 caf`),
      Buffer.from([0xe9]),
      Buffer.from('::f\nFUNC 20 8 0 é\n'),
    ]);
    assert.equal(compileText(text).cache.placeAt(0x10)?.function, 'caf\ufffd::f');
    assert.equal(compileText(text).cache.placeAt(0x20)?.function, 'é');
  });

  it('keeps all spaces in names', () => {
    assert.equal(
      placeIn('FUNC 10 8 0 operator new [] (unsigned  long) \n', 0x10)?.function,
      'operator new [] (unsigned  long) ',
    );
  });

  it('accepts several spaces between fields', () => {
    assert.partialDeepStrictEqual(placeIn('FUNC  10\t8  0  f\n10  8\t5 1\n', 0x10), { function: 'f', line: 5 });
  });

  it('accepts upper-case hex digits', () => assert.equal(placeIn('FUNC FAB 8 0 f\nFAC 2 5 1\n', 0xfac)?.line, 5));

  it('counts and skips unknown records', () => {
    const { compiler, cache } = compileText(
      `${MODULE}INFO CODE_ID A\nFUTURE 1 2\nFUNC 10 8 0 f\nSTACK NEW x\n10 8 5 1\n`,
    );
    assert.equal(compiler.unknownCount, 2);
    assert.equal(compiler.problemCount, 0);
    assert.equal(cache.placeAt(0x10)?.line, 5);
  });

  it('reports the first fifty damaged lines with their numbers', () => {
    assert.deepEqual(problemsOf(`FUNC 10 8 0 f\n10 8 5 1\n10 8 5\nMODULE again\n${'?'.repeat(9)}\n`), [
      '4: a number is missing or too large',
      '5: a second MODULE',
      '6: a number is missing or too large',
    ]);
    const { compiler } = compileText(`${MODULE}FILE 0 a\n${'zz\n'.repeat(1000)}`);
    assert.deepEqual([compiler.problems.length, compiler.problemCount], [50, 1000]);
  });

  const HUGE = 'f'.repeat(400);
  for (const line of [
    `FUNC ${HUGE} 1 0 f`,
    `FUNC 1 ${HUGE} 0 f`,
    'FUNC 1 1 100000000 f',
    `PUBLIC ${HUGE} 0 p`,
    'FILE 99999999999 a',
    `STACK CFI INIT ${HUGE} 1 a`,
    'FUNC 10000000000000 1 0 f',
  ]) {
    it(`skips a line with a number that is too large: ${line.slice(0, 24)}`, () => {
      assert.deepEqual(problemsOf(`FILE 0 a\n${line}\n`), ['3: a number is missing or too large']);
    });
  }

  it('accepts offsets far beyond 32 bits', () => {
    const text = 'FUNC ffffffffff000 800 0 f\nffffffffff010 10 5 1\nSTACK CFI INIT ffffffffff000 10 a\n';
    assert.partialDeepStrictEqual(placeIn(text, 0xffffffffff018), {
      function: 'f',
      line: 5,
      lineStart: 0xffffffffff010,
    });
    assert.deepEqual(cfiIn(text, 0xffffffffff00f), ['a']);
  });

  it('skips a line that is too long, for any chunk size', () => {
    const text = `${MODULE}FILE 1 a\nFUNC 30 8 0 ${'x'.repeat(600_000)}\nFUNC 10 8 0 ${'y'.repeat(200_000)}\n10 8 5 1\n`;
    for (const size of [1000, 1 << 20]) {
      const { cache, compiler } = compileText(text, size);
      assert.deepEqual(compiler.problems, [{ line: 3, text: 'longer than 262144 bytes' }]);
      assert.equal(cache.placeAt(0x30), undefined);
      assert.equal(cache.placeAt(0x10)?.function?.length, 200_000);
      assert.equal(cache.placeAt(0x10)?.line, 5);
    }
  });

  const invalid: [string, string][] = [
    ['an empty text', ''],
    ['an HTML page', '<!doctype html>\n<title>404</title>\n'],
    ['a line without an end', 'x'.repeat(600_000)],
    ['a MODULE line with two fields', 'MODULE Linux x86_64\n'],
    ['a MODULE line whose id is not a hex number', 'MODULE Linux x86_64 xyz game\n'],
    ['a MODULE line that is not the first', `FILE 0 a\n${MODULE}`],
    ['an ELF file', '\u007fELF\u0002\u0001\u0001\n'],
  ];
  for (const [name, text] of invalid) {
    it(`rejects ${name}`, () => assert.throws(() => compileText(text), isBadSymbols(/^Line 1: /)));
  }

  it('rejects a text without any records', () => {
    assert.throws(() => compileText(`${MODULE}\nhello\nworld\n`), isBadSymbols(/^Line 3: /));
  });

  it('accepts a module without any symbols', () => {
    const { cache } = compileText(MODULE);
    assert.deepEqual([cache.placeAt(0), cache.cfiAt(0), cache.stackWinAt(0)], [undefined, undefined, undefined]);
    assert.deepEqual(cache.module, {
      os: 'Linux',
      cpu: 'x86_64',
      debugId: '0123456789ABCDEF0123456789ABCDEF0',
      name: 'game',
    });
  });
});

function isBadSymbols(message: RegExp) {
  return (error: unknown) =>
    error instanceof MinidumpError && error.code === 'bad-symbols' && message.test(error.message);
}
