// The declarations in Swift names: functions, variables, initialisers, closures, and where they are.
// cspell:ignore ADDRESSORS addressor autoclosure
import { MAX_TEXT, type NameParser } from './name-parser.ts';
import { entity, inContext, type Node, type Nominal, type, unknownName } from './nodes.ts';
import { ACCESSORS, ADDRESSORS, OPERATORS } from './tables.ts';
import { functionType } from './types.ts';

const PROPERTY_PARTS: Readonly<Record<string, string>> = {
  i: 'variable initialization expression of',
  P: 'property wrapper backing initializer of',
  F: 'property wrapped field init accessor of',
  W: 'property wrapper init from projected value of',
};
const OBJECT_PARTS: Readonly<Record<string, string>> = {
  ...{ D: '__deallocating_deinit', d: 'deinit', Z: '__isolated_deallocating_deinit' },
  ...{ E: '__ivar_destroyer', e: '__ivar_initializer' },
};

export function declarationName(parser: NameParser): Node {
  const isPrivate = parser.take('private') !== undefined;
  const name = parser.take('name') ?? (isPrivate ? parser.take('identifier') : parser.pop('identifier'));
  return name ?? unknownName();
}

/** The name that was read last, in its context. `rest` are the parameters of a function. */
function named(parser: NameParser, rest: string): string {
  const name = declarationName(parser);
  const own = name.number === undefined ? name.text + rest : `${name.text} #${name.number}${rest && ` ${rest}`}`;
  return inContext(own, context(parser));
}

export function context(parser: NameParser): Node {
  const identifier = parser.take('identifier');
  if (identifier !== undefined) return { kind: 'module', text: identifier.text };
  const found = parser.take('type');
  if (found !== undefined) return found.nominal === undefined ? unknownName() : found;
  return parser.take('entity') ?? parser.pop('module');
}

export function module(parser: NameParser): Node {
  return parser.take('identifier') ?? parser.pop('module');
}

export function nominal(parser: NameParser, kind: Nominal): Node {
  const name = declarationName(parser);
  const own = name.number === undefined ? name.text : `${name.text} #${name.number}`;
  const parent = context(parser);
  const isInModule = parent.kind === 'module';
  return parser.remember(
    type(inContext(own, parent), {
      ...{ nominal: kind, own },
      ...(isInModule ? {} : { parent }),
      ...(parent.isLocal ? { isLocal: true } : {}),
    }),
  );
}

/** An extension is shown as the type that it extends. */
export function extension(parser: NameParser): Node {
  const generics = parser.take('signature')?.text ?? '';
  module(parser);
  const extended = parser.popNominal();
  return { ...extended, text: extended.text + generics };
}

/** Such as `(delta: Double, Int)`. */
function labelled(parser: NameParser, { parameters = [] }: Node): string {
  if (parser.take('empty') || parameters.length === 0) return `(${parameters.join(', ')})`;
  const labels: string[] = [];
  for (let left = parameters.length; left > 0; left -= 1)
    labels.push((parser.take('first') ?? parser.pop('identifier')).text);
  if (labels.every((label) => label === '_')) return `(${parameters.join(', ')})`;
  labels.reverse();
  return `(${parameters.map((text, index) => `${labels[index]}: ${text}`).join(', ')})`;
}

export function functionDeclaration(parser: NameParser): Node {
  const generics = parser.take('signature')?.text ?? '';
  const parameters = labelled(parser, functionType(parser));
  return entity(named(parser, generics + parameters));
}

export function variable(parser: NameParser): Node {
  const found = parser.pop('type');
  // Variables that are functions have labels, too.
  if (found.parameters !== undefined) parser.take('empty');
  const name = declarationName(parser);
  const place = context(parser);
  const part = accessor(parser);
  if (name.number === undefined) return entity(inContext(part === '' ? name.text : `${name.text}.${part}`, place));
  const text = inContext(`${name.text} #${name.number}`, place);
  return entity(part === '' ? text : `${part} of ${text}`);
}

export function subscript(parser: NameParser): Node {
  parser.take('private');
  labelled(parser, parser.pop('type'));
  const place = context(parser);
  const part = accessor(parser);
  return entity(inContext(part === '' ? 'subscript' : `subscript.${part}`, place));
}

function accessor(parser: NameParser): string {
  const letter = parser.next();
  if (letter === 'p') return '';
  if (letter === 'a' || letter === 'l') {
    const kind = ADDRESSORS[parser.next()] ?? unknownName();
    return letter === 'a' ? `${kind}MutableAddressor` : `${kind}Addressor`;
  }
  return ACCESSORS[letter] ?? unknownName();
}

export function functionPart(parser: NameParser): Node {
  const letter = parser.next();
  const propertyPart = PROPERTY_PARTS[letter];
  if (propertyPart !== undefined) return entity(`${propertyPart} ${context(parser).text}`);
  const objectPart = OBJECT_PARTS[letter];
  if (objectPart !== undefined) return entity(inContext(objectPart, context(parser)));
  switch (letter) {
    case 'C':
    case 'c': {
      parser.take('private');
      const found = parser.pop('type');
      const parameters = labelled(parser, found);
      const place = context(parser);
      const name = letter === 'C' && place.nominal === 'class' ? '__allocating_init' : 'init';
      return entity(inContext(name + (found.generics ?? '') + parameters, place));
    }
    case 'U':
    case 'u': {
      const number = parser.index() + 1;
      const { parameters, text } = parser.pop('type');
      if (parameters === undefined) unknownName();
      const what = letter === 'U' ? 'closure' : 'implicit closure';
      // A value that is computed when it is needed has no parameters to show.
      const values = text.startsWith('@autoclosure ') ? '' : ` ${text}`;
      return entity(inPlace(`${what} #${number}${values}`, context(parser)));
    }
    case 'A': {
      const index = parser.index();
      return entity(`default argument ${index} of ${context(parser).text}`);
    }
    default:
      return unknownName();
  }
}

/** A closure is never written as a member. */
function inPlace(name: string, place: Node): string {
  return place.kind === 'module' ? name : `${name} in ${place.text}`;
}

/** Private names have the hash of their file, and local ones a number. */
export function local(parser: NameParser): Node {
  const letter = parser.peek();
  if (letter === 'L' || letter === 'l') {
    parser.next();
    parser.pop('identifier');
    if (letter === 'l') return { kind: 'private', text: '' };
    return { kind: 'name', text: declarationName(parser).text };
  }
  const related = parser.match(/[a-jA-J]/y);
  if (related !== undefined)
    return { kind: 'name', text: `related decl '${related}' for ${declarationName(parser).text}` };
  const number = String(parser.index() + 1);
  return { kind: 'name', text: declarationName(parser).text, number };
}

const FIXITIES: Readonly<Record<string, string>> = { i: 'infix', p: 'prefix', P: 'postfix' };

export function operatorName(parser: NameParser): Node {
  const letters = parser.pop('identifier').text;
  if (letters.length > MAX_TEXT) unknownName();
  const text = [...letters].map((letter) => (letter > '\x7f' ? letter : (OPERATORS[letter] ?? unknownName()))).join('');
  return { kind: 'name', text: `${text} ${FIXITIES[parser.next()] ?? unknownName()}` };
}
