// What the parts of a mangled Swift name become. Later parts take earlier ones from a stack.

export type Node = {
  readonly kind:
    | 'annotation'
    | 'associated'
    | 'attribute'
    | 'conformance'
    | 'empty'
    | 'entity'
    | 'first'
    | 'global'
    | 'identifier'
    | 'module'
    | 'name'
    | 'passing'
    | 'private'
    | 'requirement'
    | 'signature'
    | 'type'
    | 'variadic';
  readonly text: string;
  /** A type with a name and a place. */
  readonly nominal?: Nominal;
  /** The name of a nominal type without its context. */
  readonly own?: string;
  /** The type that a nominal type is in. */
  readonly parent?: Node;
  /** How the type is written with its arguments. */
  readonly sugar?: 'array' | 'dictionary' | 'optional';
  /** The parameters of a function type. */
  readonly parameters?: readonly string[];
  /** The values of a tuple. */
  readonly values?: readonly string[];
  /** Needs parentheses before `?` and `.Type`. */
  readonly isCompound?: boolean;
  readonly isExistential?: boolean;
  /** Declarations in it are written `name in it`, not `it.name`. */
  readonly isLocal?: boolean;
  /** The number of a local name. */
  readonly number?: string;
  /** The generic parameters of a function type: `<A, B>`. */
  readonly generics?: string;
  readonly pack?: string;
};

export type Nominal = 'alias' | 'class' | 'enum' | 'protocol' | 'struct';

export const EMPTY: Node = { kind: 'empty', text: '' };
export const FIRST: Node = { kind: 'first', text: '_' };
export const VARIADIC: Node = { kind: 'variadic', text: '...' };
export const MODULE_SWIFT: Node = { kind: 'module', text: 'Swift' };

/** The name can't be read. */
export class UnknownNameError extends Error {}

export function unknownName(): never {
  throw new UnknownNameError();
}

export function type(text: string, more: Partial<Node> = {}): Node {
  return { kind: 'type', text, ...more };
}

export function entity(text: string): Node {
  return { kind: 'entity', text, isLocal: true };
}

/** What was made of an entity, or for a type. Nothing is in it. */
export function global(text: string): Node {
  return { kind: 'global', text };
}

export function inParentheses(node: Node): string {
  return node.isCompound ? `(${node.text})` : node.text;
}

/** Modules aren't part of readable names. */
export function inContext(name: string, context: Node): string {
  if (context.kind === 'module') return name;
  return context.isLocal ? `${name} in ${context.text}` : `${context.text}.${name}`;
}
