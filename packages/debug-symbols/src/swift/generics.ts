// Generic parameters, signatures and requirements in Swift names. Requirements are read but not shown.
// cspell:ignore BSLQ URNCDTBS
import type { NameParser } from './name-parser.ts';
import { type Node, type, unknownName } from './nodes.ts';

const MAX_GENERICS = 1000;
const REQUIREMENT: Node = { kind: 'requirement', text: '' };

/** `A` to `Z`, then `AB` and so on, with the depth of the type or function that it belongs to. */
export function genericName(depth: number, index: number): string {
  let name = '';
  let rest = index;
  do {
    name += String.fromCharCode(65 + (rest % 26));
    rest = Math.floor(rest / 26);
  } while (rest > 0);
  return depth === 0 ? name : name + depth;
}

export function genericParameter(parser: NameParser): string {
  if (parser.nextIs('s')) return 'Self';
  if (parser.nextIs('z')) return genericName(0, 0);
  if (!parser.nextIs('d')) return genericName(0, parser.index() + 1);
  const depth = parser.index() + 1;
  return genericName(depth, parser.index());
}

/** Its text follows the name of a function, such as `<A, B>`. */
export function signature(parser: NameParser, hasCounts: boolean): Node {
  const counts: number[] = hasCounts ? [] : [1];
  let total = 0;
  while (hasCounts && !parser.nextIs('l')) {
    const count = parser.nextIs('z') ? 0 : parser.index() + 1;
    total += count;
    if (total > MAX_GENERICS || counts.length > MAX_GENERICS) unknownName();
    counts.push(count);
  }
  const packs = new Set<string>();
  for (let found = parser.take('requirement'); found; found = parser.take('requirement'))
    if (found.pack) packs.add(found.pack);
  const names = counts.map((count, depth) =>
    Array.from({ length: count }, (_, index) => genericName(depth, index))
      .map((name) => (packs.has(name) ? `each ${name}` : name))
      .join(', '),
  );
  return { kind: 'signature', text: `<${names.join('><')}>` };
}

export function requirement(parser: NameParser): Node {
  const letter = parser.next();
  if (letter === 'v') return { ...REQUIREMENT, pack: genericParameter(parser) };
  if ('iIjJ'.includes(letter)) return inverseRequirement(parser, letter);
  if (letter === 'h') {
    genericParameter(parser);
    parser.pop('type');
    return REQUIREMENT;
  }
  const isKnown = 'cCbBtTsSmMlLpPQ'.includes(letter);
  if (!isKnown) parser.back();
  if ('BSLQ'.includes(letter)) parser.pop('type');
  else {
    genericParameter(parser);
    if ('ctmp'.includes(letter)) associatedNames(parser, false);
    if ('CTMP'.includes(letter)) associatedNames(parser, true);
  }
  if ('cCbBtTsS'.includes(letter)) parser.pop('type');
  else if ('mMlL'.includes(letter)) {
    if (!'URNCDTBS'.includes(parser.next())) unknownName();
  } else protocol(parser);
  return REQUIREMENT;
}

/** Such as `~Copyable`. */
function inverseRequirement(parser: NameParser, letter: string): Node {
  parser.index();
  if (letter === 'I') parser.pop('type');
  else genericParameter(parser);
  if ('jJ'.includes(letter)) associatedNames(parser, letter === 'J');
  return REQUIREMENT;
}

export function protocol(parser: NameParser): Node {
  if (parser.stack.at(-1)?.kind === 'type') {
    const node = parser.pop('type');
    return node.nominal === 'protocol' ? node : unknownName();
  }
  const name = parser.take('name') ?? parser.take('private') ?? parser.pop('identifier');
  const context = parser.take('identifier') ?? parser.take('module') ?? parser.take('type') ?? parser.pop('entity');
  const isModule = context.kind === 'identifier' || context.kind === 'module';
  return type(isModule ? name.text : `${context.text}.${name.text}`, { nominal: 'protocol' });
}

/** The path of associated types, such as `Element.Index`. */
export function associatedNames(parser: NameParser, isCompound: boolean): string {
  const names: string[] = [];
  for (let isFirst = false; !isFirst; ) {
    isFirst = !isCompound || parser.take('first') !== undefined;
    if (parser.stack.at(-1)?.kind === 'type') protocol(parser);
    names.push(parser.pop('identifier').text);
  }
  return names.reverse().join('.');
}
