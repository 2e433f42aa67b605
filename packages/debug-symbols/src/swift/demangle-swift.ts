// Readable names of Swift functions, from the names that compilers since Swift 4.2 write (docs/ABI/Mangling.rst in its
// repository), in the form that Mozilla's dump_syms writes: without modules, generic requirements and what functions
// return. Names with parts that are rare stay mangled, rather than being guessed.
import {
  extension,
  functionDeclaration,
  functionPart,
  local,
  nominal,
  operatorName,
  subscript,
  variable,
} from './declarations.ts';
import { genericParameter, requirement, signature } from './generics.ts';
import { implementationType } from './implementation-type.ts';
import { isDigit, MAX_TEXT, NameParser } from './name-parser.ts';
import {
  EMPTY,
  entity,
  FIRST,
  global,
  MODULE_SWIFT,
  type Node,
  type,
  UnknownNameError,
  unknownName,
  VARIADIC,
} from './nodes.ts';
import { metadata, SPECIALIZED, thunk, valueWitness, witness } from './thunks.ts';
import {
  annotation,
  archetype,
  boundGeneric,
  builtin,
  functionType,
  genericType,
  metatype,
  PASSING,
  protocolList,
  specialType,
  standard,
  tuple,
} from './types.ts';

const PREFIX = /^_?\$[sSe]/;
/** Longer names are of machine-made code. */
const MAX_LENGTH = 32_768;
const MAX_REPEATS = 1000;

/** Undefined for a name that isn't of Swift, or has unknown parts. */
export function demangleSwift(name: string): string | undefined {
  const prefix = PREFIX.exec(name)?.[0];
  if (prefix === undefined || name.length > MAX_LENGTH) return undefined;
  // What comes after a dot was appended by the optimiser.
  const dot = name.indexOf('.', prefix.length);
  const parser = new NameParser(name.slice(prefix.length, dot < 0 ? undefined : dot));
  try {
    while (!parser.isAtEnd) parser.push(operator(parser));
    return wholeName(parser);
  } catch (error) {
    if (error instanceof UnknownNameError) return undefined;
    throw error;
  }
}

function wholeName(parser: NameParser): string {
  let prefix = '';
  let isSpecialized = false;
  for (let top = parser.take('attribute'); top !== undefined; top = parser.take('attribute')) {
    if (top !== SPECIALIZED || !isSpecialized) prefix += top.text;
    isSpecialized ||= top === SPECIALIZED;
  }
  const [only, ...others] = parser.stack;
  if ((only?.kind !== 'entity' && only?.kind !== 'global') || others.length > 0) unknownName();
  const text = prefix + only!.text;
  return Buffer.byteLength(text) > MAX_TEXT ? unknownName() : text;
}

const OPERATORS: Readonly<Record<string, (parser: NameParser) => Node>> = {
  A: substitution,
  B: builtin,
  C: (parser) => nominal(parser, 'class'),
  E: extension,
  F: functionDeclaration,
  G: boundGeneric,
  I: implementationType,
  K: () => ({ kind: 'annotation', text: '' }),
  L: local,
  M: metadata,
  N: (parser) => global(`type metadata for ${parser.pop('type').text}`),
  O: (parser) => nominal(parser, 'enum'),
  P: (parser) => nominal(parser, 'protocol'),
  Q: archetype,
  R: requirement,
  S: standard,
  T: thunk,
  V: (parser) => nominal(parser, 'struct'),
  W: witness,
  X: specialType,
  Y: annotation,
  Z: (parser) => entity(`static ${parser.pop('entity').text}`),
  a: (parser) => nominal(parser, 'alias'),
  c: functionType,
  d: () => VARIADIC,
  f: functionPart,
  h: (parser) => type(PASSING.h + parser.pop('type').text),
  i: subscript,
  l: (parser) => signature(parser, false),
  m: metatype,
  n: (parser) => type(PASSING.n + parser.pop('type').text),
  o: operatorName,
  p: protocolList,
  q: (parser) => type(genericParameter(parser)),
  r: (parser) => signature(parser, true),
  s: () => MODULE_SWIFT,
  t: tuple,
  u: genericType,
  v: variable,
  w: valueWitness,
  x: () => type('A'),
  y: () => EMPTY,
  z: (parser) => type(PASSING.z + parser.pop('type').text),
  _: () => FIRST,
};

function operator(parser: NameParser): Node {
  const character = parser.next();
  if (isDigit(character)) {
    parser.back();
    return parser.identifier();
  }
  return (Object.hasOwn(OPERATORS, character) ? OPERATORS[character]! : unknownName())(parser);
}

/** References to earlier parts: `A3bC` means `b` three times, then `c`. */
function substitution(parser: NameParser): Node {
  let repeats = 1;
  for (;;) {
    const digits = parser.match(/\d{1,6}/y);
    if (digits !== undefined) {
      repeats = Number(digits);
      if (repeats > MAX_REPEATS) unknownName();
      if (parser.nextIs('_')) return parser.substitution(repeats + 27);
    }
    const character = parser.next();
    if (character === '_') return parser.substitution(26);
    if (!/[A-Za-z]/.test(character)) unknownName();
    const node = parser.substitution(character.toLowerCase().charCodeAt(0) - 97);
    for (; repeats > 1; repeats -= 1) parser.push(node);
    if (character !== character.toLowerCase()) return node;
    parser.push(node);
  }
}
