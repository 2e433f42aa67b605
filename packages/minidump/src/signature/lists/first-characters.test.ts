import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { firstCharactersOf } from './first-characters.ts';
import { compilePatterns } from './pattern-list.ts';

function firstOf(expression: RegExp): string | undefined {
  const characters = firstCharactersOf(expression);
  return characters && [...characters].sort().join('');
}

describe('the first characters of an expression', () => {
  const WORD = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

  for (const [expression, expected] of [
    [/abort/, 'a'],
    [/abort|raise|_exit/, '_ar'],
    [/(?:Nt|Zw)?Wait/, 'NWZ'],
    [/(?:a|b*)(?<name>c|d?)e/, 'abcde'],
    [/(?:a|b)?(?:c(?:d)?)+e/, 'abc'],
    [/a*?b+?c/, 'ab'],
    [/a{0,3}b{0}c{2,}d/, 'abc'],
    [/a{x/, 'a'],
    [/[-+]\[NS/, '+-'],
    [/[a-ce\]-]?x/, '-]abcex'],
    [/[\d_]x/, '0123456789_'],
    [/\w+::f/, WORD],
    [/\d/, '0123456789'],
    [/\$ss|\(wrapper|\\/, '$(\\'],
    [/<\.plt|@0x0/, '<@'],
    [/]|}|-/, '-]}'],
    [/a(?!b)[)|(]|c/, 'ac'],
    [/a\(|b\[|c/, 'abc'],
    [/a[^\]|]|d/, 'ad'],
    [/é|…/, 'é…'],
    // Any character, or none at all.
    [/.*\.dll/, undefined],
    [/a|.b/, undefined],
    [/(?:)/, undefined],
    [/a?/, undefined],
    [/a|/, undefined],
    [/[^a]/, undefined],
    [/[\w\W]/, undefined],
    [/[\b]/, undefined],
    [/\s/, undefined],
    [/\x41/, undefined],
    [/\u0041/, undefined],
    [/^a/, undefined],
    [/\ba/, undefined],
    [/(?=a)a/, undefined],
    [/(?<!b)a/, undefined],
    [/(?i:a)/, undefined],
    [/(a)?\1b/, undefined],
  ] as const) {
    it(`${expression}: ${expected ?? 'any'}`, () => assert.equal(firstOf(expression), expected));
  }

  it('include that of every text that matches', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '-',
      '|',
      '(?:',
      '(?<n>',
      ')',
      '[',
      ']',
      '^',
      '*',
      '+',
      '?',
      '{0,1}',
      '\\w',
    );
    const pieces = fc.array(fc.oneof(piece, fc.constantFrom('\\', '.', '$', ',', '(?=', '(?!', '(')), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        pieces,
        fc.string({ unit: fc.constantFrom('a', 'b', '-', '|', '_', '(', ']', '\n') }),
        (parts, text) => {
          const expression = compile(parts.join(''));
          if (expression === undefined || !new RegExp(`^(?:${expression.source})$`).test(text)) return;
          assert.ok(firstCharactersOf(expression)?.has(text.charAt(0)) ?? true);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

describe('a list', () => {
  const entries = [/ab.*/, /a.*/, /(?:b|c)d/, /.*\.dll/, /(?:x)?/].map((match) => ({ match, why: 'a test' }));
  const list = compilePatterns(entries);

  for (const [label, index] of [
    ['abc', 0],
    ['ac', 1],
    ['a.dll', 1],
    ['cd', 2],
    ['cde', -1],
    ['c.dll', 3],
    ['é.dll', 3],
    ['x', 4],
    ['', 4],
    ['xx', -1],
    ['é', -1],
    ['constructor', -1],
  ] as const) {
    it(`finds the first entry that matches \`${label}\`, if one does`, () =>
      assert.equal(list.find(label), entries[index]));
  }
});

/** Undefined if it is not a valid expression. */
function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}
