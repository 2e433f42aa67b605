// The types of functions as the compiler calls them, which are in the names of thunks.
// cspell:ignore iclbnXxyegvpm rodkulagm aliasable autoreleased BCMJKW
import { MAX_TEXT, type NameParser } from './name-parser.ts';
import { type Node, type, unknownName } from './nodes.ts';

const CALLEES: Readonly<Record<string, string>> = {
  ...{ y: '@callee_unowned', g: '@callee_guaranteed', x: '@callee_owned', t: '@convention(thin)' },
};
const REPRESENTATIONS: Readonly<Record<string, string>> = {
  ...{ B: '@convention(block)', C: '@convention(c)', M: '@convention(method)', J: '@convention(objc_method)' },
  ...{ K: '@convention(closure)', W: '@convention(witness_method)' },
};
const PARAMETERS: Readonly<Record<string, string>> = {
  ...{ i: '@in', c: '@in_constant', l: '@inout', b: '@inout_aliasable', n: '@in_guaranteed', X: '@in_cxx' },
  ...{ x: '@owned', y: '@unowned', g: '@guaranteed', e: '@deallocating', v: '@pack_owned', p: '@pack_guaranteed' },
  m: '@pack_inout',
};
const RESULTS: Readonly<Record<string, string>> = {
  ...{ r: '@out', o: '@owned', d: '@unowned', u: '@unowned_inner_pointer', a: '@autoreleased', k: '@pack_out' },
  ...{ l: '@guaranteed_address', g: '@guaranteed', m: '@inout' },
};

/** Types come before the letters that say how they are passed, so the last convention belongs to the last type. */
export function implementationType(parser: NameParser): Node {
  const generics = parser.take('signature');
  const substitutions = parser.match(/[sI]/y);
  if (substitutions !== undefined) unknownName();
  parser.nextIs('P');
  const words: string[] = [];
  if (parser.nextIs('e')) words.push('@escaping');
  if (parser.nextIs('A')) words.push('@isolated(any)');
  words.push(CALLEES[parser.next()] ?? unknownName());
  const representation = parser.match(/[BCMJKW]/y);
  if (representation !== undefined) words.push(REPRESENTATIONS[representation]!);
  const coroutine = parser.match(/[AIG]/y);
  if (coroutine !== undefined) words.push({ A: '@yield_once', I: '@yield_once_2', G: '@yield_many' }[coroutine]!);
  if (parser.nextIs('h')) words.push('@Sendable');
  if (parser.nextIs('H')) words.push('@async');
  parser.nextIs('T');
  const parameters = conventions(parser, /[iclbnXxyegvpm]/y, PARAMETERS);
  const results = conventions(parser, /[rodkulagm]/y, RESULTS);
  if (parser.nextIs('z')) results.push(`@error ${RESULTS[parser.next()] ?? unknownName()}`);
  if (!parser.nextIs('_')) unknownName();
  const returned = passed(parser, results);
  const taken = passed(parser, parameters);
  if (generics !== undefined) words.push(generics.text);
  return type([...words, `(${taken}) -> (${returned})`].join(' '));
}

function conventions(parser: NameParser, letters: RegExp, names: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (let letter = parser.match(letters); letter !== undefined; letter = parser.match(letters)) {
    found.push(names[letter]!);
    while (names === PARAMETERS && parser.match(/[wTIL]/y) !== undefined);
  }
  return found;
}

function passed(parser: NameParser, by: readonly string[]): string {
  const values: string[] = [];
  let length = 0;
  for (const how of by.toReversed()) {
    const value = `${how} ${parser.pop('type').text}`;
    length += value.length;
    if (length > MAX_TEXT) unknownName();
    values.push(value);
  }
  return values.reverse().join(', ');
}
