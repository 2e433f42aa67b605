// cspell:ignore platfrom asignee lnaguage vesion asigned versoin opne resovled hihg xyzzy
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  filterOf,
  findMistake,
  formatQuery,
  isKey,
  OPERATORS,
  type Operator,
  parseQuery,
  QUERY_KEYS,
  type Term,
  timesOf,
  typeOf,
  withFilter,
} from './crash-query.ts';

const text = (value: string, negated = false): Term => ({ kind: 'text', negated, text: value });
const filter = (key: string, values: string[], operator: Operator = '=', negated = false): Term => ({
  kind: 'filter',
  negated,
  key,
  operator,
  values,
});

const PARSED: readonly (readonly [query: string, terms: readonly Term[]])[] = [
  ['', []],
  ['   ', []],
  [
    'os:windows version:>=1.2 gpu render::',
    [filter('os', ['windows']), filter('version', ['1.2'], '>='), text('gpu'), text('render::')],
  ],
  ['metadata.gpu:"RTX 3060"', [filter('metadata.gpu', ['RTX 3060'])]],
  ['is:open,resolved -is:assigned', [filter('is', ['open', 'resolved']), filter('is', ['assigned'], '=', true)]],
  ['IS:Open', [filter('is', ['Open'])]],
  ['"a b" -"c d"', [text('a b'), text('c d', true)]],
  ['Car::Turn', [text('Car::Turn')]],
  ['std::vector<int,float>', [text('std::vector<int,float>')]],
  ['operator""_s', [text('operator_s')]],
  ['"say \\"hi\\" \\\\"', [text('say "hi" \\')]],
  ['-', [text('-')]],
  ['a -', [text('a'), text('-')]],
  ['--a', [text('-a', true)]],
  ['reports:>100 first:<7d', [filter('reports', ['100'], '>'), filter('first', ['7d'], '<')]],
  ['os:>x', [filter('os', ['>x'])]],
  ['version:">=1"', [filter('version', ['>=1'])]],
  ['assigned:"Kim Park",me', [filter('assigned', ['Kim Park', 'me'])]],
  ['reason:SIGSEGV*', [filter('reason', ['SIGSEGV*'])]],
];

describe('a query', () => {
  for (const [query, terms] of PARSED)
    test(`is parsed: ${JSON.stringify(query)}`, () => {
      assert.deepEqual(parseQuery(query), { terms, problems: [] });
    });

  const SUGGESTIONS: readonly (readonly [query: string, suggestion: string | undefined])[] = [
    ['is:open vesion:>=1.2 crash', 'is:open version:>=1.2 crash'],
    ['-asigned:"Kim Park",me', '-assigned:"Kim Park",me'],
    ['OS_versoin:11', 'os_version:11'],
    ['prio:high', 'priority:high'],
    ['status:open', 'is:open'],
    ['platform:windows', 'os:windows'],
    ['platfrom:windows', 'os:windows'],
    ['asignee:me', 'assigned:me'],
    ['lnaguage:de', 'locale:de'],
    ['is:opne', 'is:open'],
    ['is:open,resovled', 'is:open,resolved'],
    ['priority:hihg', 'priority:high'],
    ['is:closed', undefined],
    ['status:nonsense', undefined],
    ['xyzzy:1', undefined],
    ['constructor:x', undefined],
    ['reports:many', undefined],
    ['"a', undefined],
  ];
  for (const [query, suggestion] of SUGGESTIONS)
    test(`is corrected, if something is similar: ${query}`, () => {
      const mistake = findMistake(query);
      assert.equal(mistake?.suggestion, suggestion);
      assert.equal(/ Did you mean “/.test(mistake?.message ?? ''), suggestion !== undefined);
      if (suggestion !== undefined) assert.deepEqual(parseQuery(suggestion).problems, []);
    });

  const PROBLEMS: readonly (readonly [query: string, message: RegExp, from: number, to: number])[] = [
    ['a prio:high', /no filter “prio”/, 2, 11],
    ['os:', /Write a value after “os:”/, 0, 3],
    ['os:,x', /Write a value/, 0, 5],
    ['is:closed', /“is” is one of: open, resolved/, 0, 9],
    ['reports:many', /whole number/, 0, 12],
    ['reports:>1,2', /with one value/, 0, 12],
    ['first:yesterday', /a day such as/, 0, 15],
    ['first:2026-13-01', /a day such as/, 0, 16],
    ['"a', /Close the quote/, 0, 2],
    ['os:"a', /Close the quote/, 0, 5],
    ['os:"a"b c', /a space or a comma/, 0, 7],
    ['""', /between the quotes/, 0, 2],
    ['metadata.:x', /no filter/, 0, 11],
    ['constructor:x', /no filter/, 0, 13],
  ];
  for (const [query, message, from, to] of PROBLEMS)
    test(`has a problem: ${query}`, () => {
      const [problem, ...others] = parseQuery(query).problems;
      assert.deepEqual(others, []);
      assert.match(problem?.message ?? '', message);
      assert.deepEqual([problem?.from, problem?.to], [from, to]);
    });

  test('has at most 20 conditions', () => {
    assert.equal(parseQuery('a '.repeat(20)).problems.length, 0);
    assert.match(parseQuery('a '.repeat(21)).problems[0]?.message ?? '', /at most 20/);
  });

  test('is the same after formatting and parsing', () => {
    const value = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab<>=:,"\\ -*.é\n\t1') });
    const keys = [...Object.keys(QUERY_KEYS).filter((key) => typeOf(key) === 'text'), 'version', 'metadata.level'];
    const term: fc.Arbitrary<Term> = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), negated: fc.boolean(), text: value }),
      fc
        .record({
          kind: fc.constant('filter' as const),
          negated: fc.boolean(),
          key: fc.constantFrom(...keys),
          operator: fc.constantFrom<Operator>('=', ...OPERATORS),
          values: fc.array(value, { minLength: 1, maxLength: 3 }),
        })
        .map((each) => (typeOf(each.key) === 'text' ? { ...each, operator: '=' as const } : each))
        .map((each) =>
          each.operator === '=' ? each : { ...each, values: [`1${each.values[0]!.replace(/[\s",]/g, '')}`] },
        ),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 6 }), (terms) => {
        assert.deepEqual(parseQuery(formatQuery(terms)), { terms: terms.map((term) => ({ ...term })), problems: [] });
      }),
    );
  });

  test('of any text is parsed without an exception, and its problems are inside of it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60, unit: fc.constantFrom(...'ab:<>="\\ ,-is.7d') }), (query) => {
        for (const { from, to } of parseQuery(query).problems) assert.ok(0 <= from && from <= to && to <= query.length);
      }),
    );
  });
});

test('a filter is read and replaced in its place', () => {
  const { terms } = parseQuery('a os:windows b');
  assert.deepEqual(filterOf(terms, 'os'), ['windows']);
  assert.equal(formatQuery(withFilter(terms, 'os', ['linux', 'macos'])), 'a os:linux,macos b');
  assert.equal(formatQuery(withFilter(terms, 'os', [])), 'a b');
  assert.equal(formatQuery(withFilter(terms, 'is', ['open'])), 'a os:windows b is:open');
  for (const query of ['-os:x', 'os:x os:y', '']) assert.equal(filterOf(parseQuery(query).terms, 'os'), undefined);
  assert.equal(filterOf(parseQuery('reports:>5').terms, 'reports'), undefined);
});

test('times are days in UTC, or ages', () => {
  const now = Date.UTC(2026, 10, 30, 12);
  const day = Date.UTC(2026, 10, 20);
  const DAY = 24 * 3600 * 1000;
  assert.deepEqual(timesOf('=', '2026-11-20', now), { from: day, to: day + DAY });
  assert.deepEqual(timesOf('<', '2026-11-20', now), { from: -Infinity, to: day });
  assert.deepEqual(timesOf('<=', '2026-11-20', now), { from: -Infinity, to: day + DAY });
  assert.deepEqual(timesOf('>', '2026-11-20', now), { from: day + DAY, to: Infinity });
  assert.deepEqual(timesOf('>=', '2026-11-20', now), { from: day, to: Infinity });
  assert.deepEqual(timesOf('<', '7d', now), { from: now - 7 * DAY, to: Infinity });
  assert.deepEqual(timesOf('=', '2w', now), { from: now - 14 * DAY, to: Infinity });
  assert.deepEqual(timesOf('>', '12h', now), { from: -Infinity, to: now - DAY / 2 });
});

test('only the names of filters are keys', () => {
  for (const key of ['is', 'metadata.gpu']) assert.equal(isKey(key), true);
  for (const key of ['toString', 'metadata.', 'x']) assert.equal(isKey(key), false);
});
