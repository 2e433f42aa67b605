// The types in Swift names: nominal and bound ones, tuples, functions, protocols, associated and opaque types.
// cspell:ignore autoclosure FPIEEE
import { associatedNames, genericParameter, protocol } from './generics.ts';
import { MAX_TEXT, type NameParser } from './name-parser.ts';
import { inContext, inParentheses, type Node, type Nominal, type, unknownName } from './nodes.ts';
import { CONCURRENCY, CONCURRENCY_PROTOCOLS, STANDARD, STANDARD_PROTOCOLS } from './tables.ts';

const MAX_REPEATS = 1000;
/** The depth of types within types that have generic arguments. */
const MAX_NESTING = 50;
const MAX_VALUES = 2000;

const BUILTIN: Readonly<Record<string, string>> = {
  ...{ b: 'BridgeObject', B: 'UnsafeValueBuffer', c: 'RawUnsafeContinuation', D: 'DefaultActorStorage' },
  ...{ e: 'Executor', I: 'IntLiteral', j: 'Job', O: 'UnknownObject', o: 'NativeObject', p: 'RawPointer' },
  ...{ t: 'SILToken', w: 'Word', P: 'PackIndex', d: 'NonDefaultDistributedActorStorage', A: 'ImplicitActor' },
};
const SPECIAL_FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ f: '@convention(thin) ', K: '@autoclosure ', A: '@autoclosure ', B: '@convention(block) ' },
  ...{ C: '@convention(c) ', L: '@convention(block) ', E: '', U: '' },
};
const SUGAR: Readonly<Record<string, Node['sugar']>> = { a: 'array', D: 'dictionary', q: 'optional' };
/** How a parameter is passed. */
export const PASSING: Readonly<Record<string, string>> = { h: '__shared ', n: '__owned ', z: 'inout ' };

export function optional(node: Node): Node {
  return type(`${inParentheses(node)}?`);
}

export function standard(parser: NameParser): Node {
  const letters = parser.match(/[oCg]/y);
  if (letters === 'o') return { kind: 'module', text: '__C' };
  if (letters === 'C') return { kind: 'module', text: '__C_Synthesized' };
  if (letters === 'g') return parser.remember(optional(parser.pop('type')));
  const repeats = parser.match(/\d{1,4}/y) ?? '1';
  if (Number(repeats) > MAX_REPEATS) unknownName();
  const isConcurrency = parser.nextIs('c');
  const letter = parser.next();
  const name = (isConcurrency ? CONCURRENCY : STANDARD)[letter];
  const protocolName = (isConcurrency ? CONCURRENCY_PROTOCOLS : STANDARD_PROTOCOLS)[letter];
  const text = name ?? protocolName ?? unknownName();
  const sugar = isConcurrency ? undefined : SUGAR[letter];
  const nominal: Nominal = name === undefined ? 'protocol' : sugar === 'optional' ? 'enum' : 'struct';
  const node = type(text, { nominal, own: text, ...(sugar === undefined ? {} : { sugar }) });
  for (let left = Number(repeats); left > 1; left -= 1) parser.push(node);
  return node;
}

export function builtin(parser: NameParser): Node {
  const letter = parser.next();
  const name = BUILTIN[letter];
  if (name !== undefined) return parser.remember(type(`Builtin.${name}`));
  if (letter === 'v') {
    const size = parser.natural();
    parser.nextIs('_');
    const { text } = parser.pop('type');
    return parser.remember(type(`Builtin.Vec${size}x${text.replace(/^Builtin\./, '')}`));
  }
  if (letter !== 'i' && letter !== 'f') unknownName();
  const size = parser.natural();
  if (!parser.nextIs('_')) unknownName();
  return parser.remember(type(`Builtin.${letter === 'i' ? 'Int' : 'FPIEEE'}${size}`));
}

/** The arguments of each type, from the innermost one. */
function argumentLists(parser: NameParser): string[][] {
  const lists: string[][] = [];
  while (parser.take('conformance'));
  for (;;) {
    const list: string[] = [];
    for (let found = parser.take('type'); found; found = parser.take('type')) list.push(found.text);
    lists.push(list.reverse());
    if (parser.take('empty')) return lists;
    if (!parser.take('first') || lists.length > MAX_NESTING) unknownName();
  }
}

export function boundGeneric(parser: NameParser): Node {
  const lists = argumentLists(parser);
  return parser.remember(bound(parser.popNominal(), lists));
}

/** `lists` begin with the arguments of the innermost type. */
function bound(node: Node, lists: readonly string[][]): Node {
  const [list = [], ...outer] = lists;
  if (node.sugar === 'optional' && list.length === 1) return type(`${optionalOf(list[0]!)}?`);
  if (node.sugar === 'array' && list.length === 1) return type(`[${list[0]}]`);
  if (node.sugar === 'dictionary' && list.length === 2) return type(`[${list.join(' : ')}]`);
  const parent = node.parent && outer.some((names) => names.length > 0) ? bound(node.parent, outer) : node.parent;
  const name = parent === undefined ? node.text : inContext(node.own!, parent);
  const text = list.length === 0 ? name : `${name}<${list.join(', ')}>`;
  if (text.length > MAX_TEXT) unknownName();
  return type(text, {
    nominal: node.nominal!,
    own: list.length === 0 ? node.own! : `${node.own}<${list.join(', ')}>`,
    ...(parent === undefined ? {} : { parent }),
    ...(node.isLocal ? { isLocal: true } : {}),
  });
}

/** `Optional` is rarely written with its name: only its text is known here. */
function optionalOf(text: string): string {
  return / [&-]|^@/.test(text) ? `(${text})` : text;
}

export function tuple(parser: NameParser): Node {
  const values: string[] = [];
  let length = 0;
  if (parser.take('empty') === undefined) {
    for (let isFirst = false; !isFirst; ) {
      isFirst = parser.take('first') !== undefined;
      const variadic = parser.take('variadic')?.text ?? '';
      const label = parser.take('identifier')?.text;
      const value = `${label === undefined ? '' : `${label}: `}${parser.pop('type').text}${variadic}`;
      length += value.length;
      if (length > MAX_TEXT || values.length > MAX_VALUES) unknownName();
      values.push(value);
    }
  }
  values.reverse();
  return type(`(${values.join(', ')})`, { values });
}

/** The values that a function takes or returns. */
function functionValues(parser: NameParser): readonly string[] {
  if (parser.take('empty')) return [];
  const node = parser.pop('type');
  return node.values ?? [node.text];
}

/** Only the parameters are shown, not what a function returns or throws. */
export function functionType(parser: NameParser, convention = ''): Node {
  let annotations = '';
  for (let found = parser.take('annotation'); found; found = parser.take('annotation'))
    annotations = found.text + annotations;
  const parameters = functionValues(parser);
  functionValues(parser);
  return type(`${annotations}${convention}(${parameters.join(', ')})`, { parameters, isCompound: true });
}

export function genericType(parser: NameParser): Node {
  const generics = parser.pop('signature').text;
  const node = parser.pop('type');
  return { ...node, text: generics + node.text, generics };
}

export function metatype(parser: NameParser): Node {
  const node = parser.pop('type');
  return type(`${inParentheses(node)}${node.isExistential || node.nominal === 'protocol' ? '.Protocol' : '.Type'}`);
}

function protocols(parser: NameParser): string[] {
  const names: string[] = [];
  if (parser.take('empty') !== undefined) return names;
  for (let isFirst = false; !isFirst; ) {
    isFirst = parser.take('first') !== undefined;
    names.push(protocol(parser).text);
    if (names.length > MAX_VALUES) unknownName();
  }
  return names.reverse();
}

export function existential(names: readonly string[]): Node {
  return type(names.join(' & ') || 'Any', { isCompound: names.length > 1, isExistential: true });
}

export function protocolList(parser: NameParser): Node {
  return existential(protocols(parser));
}

export function specialType(parser: NameParser): Node {
  const letter = parser.next();
  const convention = SPECIAL_FUNCTIONS[letter];
  if (convention !== undefined) return functionType(parser, convention);
  switch (letter) {
    case 'l':
      return existential([...protocols(parser), 'Swift.AnyObject']);
    case 'c': {
      const { text } = parser.pop('type');
      return existential([text, ...protocols(parser)]);
    }
    case 'p':
      return type(`${inParentheses(parser.pop('type'))}.Type`);
    case 'M':
    case 'm': {
      parser.match(/[tTo]/y) ?? unknownName();
      return type(`${inParentheses(parser.pop('type'))}.Type`);
    }
    case 'o':
      return type(`unowned ${parser.pop('type').text}`);
    case 'u':
      return type(`unowned(unsafe) ${parser.pop('type').text}`);
    case 'w':
      return type(`weak ${parser.pop('type').text}`);
    case 'D':
      parser.pop('type');
      return type('Self');
    default:
      return unknownName();
  }
}

/** Notes on a function type, and on how a parameter is passed. */
export function annotation(parser: NameParser): Node {
  const letter = parser.next();
  const note = (text: string): Node => ({ kind: 'annotation', text });
  const passed = (text: string) => type(`${text}${parser.pop('type').text}`);
  switch (letter) {
    case 'a':
    case 'C':
    case 'T':
      return note('');
    case 'A':
      return note('@isolated(any) ');
    case 'b':
      return note('@Sendable ');
    case 'c':
      return note(`@${parser.pop('type').text} `);
    case 'K':
      parser.pop('type');
      return note('');
    case 'i':
      return passed('isolated ');
    case 'k':
      return passed('@noDerivative ');
    case 't':
      return passed('_const ');
    case 'u':
      return passed('sending ');
    default:
      return unknownName();
  }
}

/** Associated types, opaque types and packs. */
export function archetype(parser: NameParser): Node {
  const letter = parser.next();
  switch (letter) {
    case 'a':
    case 'x': {
      const name = associatedNames(parser, false);
      return parser.remember(type(`${parser.pop('type').text}.${name}`));
    }
    case 'y':
    case 'Y': {
      const of = genericParameter(parser);
      return parser.remember(type(`${of}.${associatedNames(parser, letter === 'Y')}`));
    }
    case 'z':
    case 'Z':
      return parser.remember(type(`A.${associatedNames(parser, letter === 'Z')}`));
    case 'r':
      return type('some');
    case 'R':
      parser.index();
      return type('some');
    case 'O':
      return { kind: 'entity', text: `<<opaque return type of ${parser.pop('entity').text}>>` };
    case 'o': {
      const index = parser.index();
      argumentLists(parser);
      return parser.remember(type(`${parser.pop('entity').text}.${index}`));
    }
    case 'p': {
      parser.pop('type');
      return type(`repeat ${parser.pop('type').text}`);
    }
    default:
      return unknownName();
  }
}
