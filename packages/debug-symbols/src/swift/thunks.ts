// What the compiler made of functions and types: thunks, specialisations, outlined code, witnesses, metadata.
// cspell:ignore ndgox fgsk
import { context, module } from './declarations.ts';
import { protocol } from './generics.ts';
import type { NameParser } from './name-parser.ts';
import { global, type Node, unknownName } from './nodes.ts';
import { ATTRIBUTES, CONFORMANCE_PARTS, METADATA, OUTLINED, THUNKS, VALUE_WITNESSES } from './tables.ts';

/** It is shown once, however often a function was specialised. */
export const SPECIALIZED: Node = { kind: 'attribute', text: 'specialized ' };

export function thunk(parser: NameParser): Node {
  const letter = parser.next();
  const attribute = ATTRIBUTES[letter];
  if (attribute !== undefined) return { kind: 'attribute', text: attribute };
  const prefix = THUNKS[letter];
  if (prefix !== undefined) return global(prefix + parser.pop('entity').text);
  switch (letter) {
    // Parts of asynchronous functions are shown as the whole function.
    case 'Q':
    case 'Y':
      parser.index();
      return { kind: 'attribute', text: '' };
    case 'R':
    case 'r':
      return reabstraction(parser);
    case 'V': {
      const base = parser.pop('entity').text;
      return global(`vtable thunk for ${base} dispatching to ${parser.pop('entity').text}`);
    }
    case 'W': {
      const { text } = parser.pop('entity');
      return global(`protocol witness for ${text} in conformance ${conformance(parser)}`);
    }
    case 'K':
    case 'k':
      return keyPath(parser, letter === 'K' ? 'getter' : 'setter');
    case 'w':
      return rareThunk(parser);
    case 'g':
    case 'G':
    case 'B':
    case 's':
    case 't':
      return specialization(parser, letter);
    case 'p':
    case 'P':
      parser.pop('type');
      passInformation(parser);
      return SPECIALIZED;
    case 'f':
      return signatureSpecialization(parser);
    case 'v': {
      const number = parser.index();
      return global(`outlined variable #${number} of ${context(parser).text}`);
    }
    default:
      return unknownName();
  }
}

function reabstraction(parser: NameParser): Node {
  parser.take('signature');
  parser.pop('type');
  return global(`thunk for ${parser.pop('type').text}`);
}

function keyPath(parser: NameParser, what: string): Node {
  const values: string[] = [];
  for (let found = parser.take('type'); found; found = parser.take('type')) values.push(found.text);
  const generics = parser.take('signature')?.text ?? '';
  const { text } = parser.pop('entity');
  return global(`key path ${what} for ${text} : ${generics}${values.reverse().join(', ')}`);
}

function rareThunk(parser: NameParser): Node {
  const text = { b: 'back deployment thunk for ', B: 'back deployment fallback for ', c: 'coro function pointer to ' }[
    parser.next()
  ];
  return text === undefined ? unknownName() : { kind: 'attribute', text };
}

/** Which pass of the compiler made it, and what else it changed. */
function passInformation(parser: NameParser): void {
  if (parser.match(/q?[ar]?\dm?/y) === undefined) unknownName();
}

function specialization(parser: NameParser, letter: string): Node {
  if (letter === 't') {
    // Parameters that were dropped.
    parser.match(/\d*(?:t\d*)*/y);
    if (parser.match(/[gGB]/y) === undefined) unknownName();
  }
  passInformation(parser);
  if (parser.take('empty') === undefined) {
    for (let isFirst = false; !isFirst; ) {
      isFirst = parser.take('first') !== undefined;
      parser.pop('type');
    }
  }
  return SPECIALIZED;
}

/** Changed parameters, such as ones that are not used or became constants. */
function signatureSpecialization(parser: NameParser): Node {
  passInformation(parser);
  const changes: string[] = [];
  const one = /_|n|[cE]|C\d+|p(?:f|g|i\d+|d\d+|s[bwc]|k)|eD?G?O?X?|dG?O?X?|gX?|oX?|x|i|s/y;
  let hasResult = false;
  for (let change = parser.match(one); change !== undefined; change = hasResult ? undefined : parser.match(one)) {
    if (change === '_') {
      if (parser.match(/[ndgox]X?/y) === undefined) unknownName();
      hasResult = true;
    } else changes.push(change);
  }
  if (!hasResult) unknownName();
  for (const change of changes.reverse()) {
    if (change === 'c' || change === 'E') while (parser.take('type'));
    if (change === 'pk') {
      parser.pop('type');
      parser.pop('type');
    }
    if (/^(?:[cE]|p[fgsk])/.test(change)) parser.pop('identifier');
  }
  return SPECIALIZED;
}

/** The type that conforms to a protocol. */
function conformance(parser: NameParser): string {
  const generics = parser.take('signature')?.text;
  module(parser);
  protocol(parser);
  const { text } = parser.pop('type');
  return generics === undefined ? text : `${generics} ${text}`;
}

export function witness(parser: NameParser): Node {
  const letter = parser.next();
  const part = CONFORMANCE_PARTS[letter];
  if (part !== undefined) return global(part + conformance(parser));
  switch (letter) {
    case 'O': {
      const what = OUTLINED[parser.next()] ?? unknownName();
      parser.take('signature');
      return global(`outlined ${what} of ${parser.pop('type').text}`);
    }
    case 'V':
      return global(`value witness table for ${parser.pop('type').text}`);
    case 'v':
      if (!parser.nextIs('d')) unknownName();
      return global(`direct field offset for ${parser.pop('entity').text}`);
    case 'l': {
      const of = conformance(parser);
      return global(`lazy protocol witness table accessor for type ${parser.pop('type').text} and conformance ${of}`);
    }
    case 'Z':
    case 'z':
      return globalInitialization(parser, letter === 'Z' ? 'function' : 'token');
    default:
      return unknownName();
  }
}

function globalInitialization(parser: NameParser, what: string): Node {
  const names: string[] = [];
  while (parser.take('first')) {
    parser.take('private');
    names.push((parser.take('name') ?? parser.pop('identifier')).text);
  }
  const place = context(parser);
  if (names.length !== 1) unknownName();
  const name = place.kind === 'module' ? names[0] : `${place.text}.${names[0]}`;
  return global(`one-time initialization ${what} for ${name}`);
}

export function valueWitness(parser: NameParser): Node {
  const what = VALUE_WITNESSES[parser.next() + parser.next()] ?? unknownName();
  return global(`${what} for ${parser.pop('type').text}`);
}

export function metadata(parser: NameParser): Node {
  const letter = parser.next();
  if (letter === 'c') return global(`protocol conformance descriptor for ${conformance(parser)}`);
  if (letter === 'Q') return global(`opaque type descriptor for ${parser.pop('entity').text}`);
  const what = METADATA[letter] ?? unknownName();
  return global(what + (letter === 'p' ? protocol(parser) : parser.pop('type')).text);
}
