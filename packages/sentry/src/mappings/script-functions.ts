// Finds the functions of a script: where each is, and where its name is, which a source map leads to the name in the
// sources. A minifier renames functions, and a browser says the new names.
import { parse } from 'acorn';

/** Counts from 1. */
type Place = { readonly line: number; readonly column: number };

export type ScriptFunction = {
  /** The name in the script; null for a function without one. */
  readonly name: string | null;
  /** Where the name is; null without one. */
  readonly nameAt: Place | null;
  /** Where its body begins. */
  readonly bodyAt: Place;
};

type Range = {
  readonly start: number;
  readonly end: number;
  readonly name: string | null;
  readonly nameStart: number;
  readonly bodyStart: number;
};

/** The syntax tree takes many times the memory of the script. */
const MAX_LENGTH = 16 * 1024 * 1024;
const MAX_NAME_LENGTH = 300;

export class ScriptFunctions {
  readonly #lineStarts: readonly number[];
  /** Outer functions before inner ones. */
  readonly #ranges: readonly Range[];

  /** Of a script that can't be parsed, no functions are known. */
  constructor(script: string) {
    this.#lineStarts = lineStartsOf(script);
    this.#ranges = script.length > MAX_LENGTH ? [] : rangesOf(script);
  }

  /** The innermost function around a place; undefined for code outside of functions, and if nothing is known. */
  at({ line, column }: Place): ScriptFunction | undefined {
    const lineStart = this.#lineStarts[line - 1];
    if (lineStart === undefined) return undefined;
    const offset = lineStart + column - 1;
    // Of the functions that begin before the place, the last one that doesn't end before it.
    let [low, high] = [0, this.#ranges.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]!.start <= offset) low = middle + 1;
      else high = middle;
    }
    let index = low - 1;
    for (let steps = 0; index >= 0 && this.#ranges[index]!.end <= offset; index -= 1)
      if (++steps > MAX_STEPS) return undefined;
    const found = this.#ranges[index];
    if (found === undefined) return undefined;
    return {
      name: found.name,
      nameAt: found.name === null ? null : this.#placeOf(found.nameStart),
      bodyAt: this.#placeOf(found.bodyStart),
    };
  }

  get isKnown(): boolean {
    return this.#ranges.length > 0;
  }

  #placeOf(offset: number): Place {
    let [low, high] = [0, this.#lineStarts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return { line: low, column: offset - this.#lineStarts[low - 1]! + 1 };
  }
}

/** Functions next to each other within one. Code between the last of so many is taken for none of a function. */
const MAX_STEPS = 100_000;

function lineStartsOf(script: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of script.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) starts.push(index + end.length);
  return starts;
}

function rangesOf(script: string): Range[] {
  const ranges: Range[] = [];
  try {
    for (const sourceType of ['module', 'script'] as const) {
      const tree = parseAs(script, sourceType);
      if (tree === null) continue;
      collect(tree, script, ranges);
      break;
    }
  } catch (error) {
    // The tree is too deep.
    if (!(error instanceof RangeError)) throw error;
    return [];
  }
  return ranges.sort((a, b) => a.start - b.start || b.end - a.end);
}

function parseAs(script: string, sourceType: 'module' | 'script'): Node | null {
  try {
    return parse(script, {
      ecmaVersion: 'latest',
      sourceType,
      allowHashBang: true,
      allowReturnOutsideFunction: true,
    }) as unknown as Node;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [key: string]: unknown };

/** Visits all nodes without recursion, because code may be nested deeply. */
function collect(root: Node, script: string, ranges: Range[]): void {
  const left: { readonly node: Node; readonly nameNode: Node | null }[] = [{ node: root, nameNode: null }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node, nameNode } = next;
    if (FUNCTIONS.has(node.type)) ranges.push(rangeOf(node, nodeOf(node.id) ?? nameNode, script));
    for (const [key, value] of Object.entries(node)) {
      const children = Array.isArray(value) ? value : [value];
      for (const child of children) {
        const childNode = nodeOf(child);
        if (childNode !== null) left.push({ node: childNode, nameNode: nameOfChild(node, key) });
      }
    }
  }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function nodeOf(value: unknown): Node | null {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
    ? (value as Node)
    : null;
}

/** What names a function without a name: the variable or property that it is the value of. */
function nameOfChild(parent: Node, key: string): Node | null {
  const isValue = NAMED_VALUES[parent.type];
  if (isValue === undefined || isValue.value !== key) return null;
  const target = nodeOf(parent[isValue.name]);
  if (target === null || parent.computed === true) return null;
  return target.type === 'MemberExpression' && target.computed !== true ? nodeOf(target.property) : target;
}

const NAMED_VALUES: Readonly<Record<string, { readonly name: string; readonly value: string }>> = {
  VariableDeclarator: { name: 'id', value: 'init' },
  AssignmentExpression: { name: 'left', value: 'right' },
  AssignmentPattern: { name: 'left', value: 'right' },
  Property: { name: 'key', value: 'value' },
  PropertyDefinition: { name: 'key', value: 'value' },
  MethodDefinition: { name: 'key', value: 'value' },
};

function rangeOf({ start, end, body }: Node, nameNode: Node | null, script: string): Range {
  const isName = nameNode !== null && ['Identifier', 'PrivateIdentifier', 'Literal'].includes(nameNode.type);
  const bodyStart = nodeOf(body)?.start ?? start;
  if (!isName) return { start, end, name: null, nameStart: 0, bodyStart };
  const text = script.slice(nameNode.start, Math.min(nameNode.end, nameNode.start + MAX_NAME_LENGTH));
  // A method begins with its name, before the function of the tree.
  return {
    start: Math.min(start, nameNode.start),
    end,
    name: text.replace(/^(['"])(.*)\1$/s, '$2'),
    nameStart: nameNode.start,
    bodyStart,
  };
}
