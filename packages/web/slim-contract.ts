// Leaves out of the website what it doesn't need of the contract: the results, summaries, rights and errors of
// operations are for the server, the API reference and other clients. The website needs their addresses and parameters.
// What an error code means is in the message of each response, and in the documentation that pages link to. What to do
// about it is loaded when an error is shown, as a part of `errors?whole`.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/** Operations, and the types of what identifies a build. */
const OPERATIONS = /packages\/contract\/src\/(operations\/[\w-]+|identity)\.ts$/;
const ERRORS = /packages\/contract\/src\/errors\.ts$/;
const UNUSED = new Set([
  ...['summary', 'output', 'errors', 'example', 'mcp', 'access', 'uploadScope', 'headers', 'headerQuery'],
  ...['crossOrigin', 'otherBodies', 'bodyLimit', 'answerTypes', 'named', 'plainAnswers', 'secret', 'asset', 'statuses'],
  ...['invalid', 'audit'],
]);
const ERROR_TEXTS = new Set(['meaning', 'remedy']);
/** The types that `typebox-names.ts` looks into. */
const WITH_NAMES = new Set(['Object', 'Partial', 'Optional', 'Unsafe']);
/** Types of `fields.ts` whose arguments are limits and descriptions. */
const TEXT_TYPES = new Set(['Line', 'Text', 'WebAddress']);
const TEXTS = new Set(['Literal', 'TemplateLiteral']);
const TYPEBOX = fileURLToPath(new URL('./src/typebox-names.ts', import.meta.url));

export function slimContract(): Plugin {
  return {
    name: 'slim contract',
    apply: 'build',
    // The plugin runs after the types were removed, which the parser does not read.
    enforce: 'post',
    config: () => ({ resolve: { alias: [{ find: /^typebox$/, replacement: TYPEBOX }] } }),
    transform: {
      filter: { id: [OPERATIONS, ERRORS] },
      handler(code, id) {
        const cuts: Span[] = [];
        (ERRORS.test(id) ? findTexts : findUnused)(this.parse(code), cuts);
        return cutOut(code, cuts);
      },
    },
  };
}

type Span = { readonly start: number; readonly end: number };
type Node = Span & { readonly type: string; readonly [field: string]: unknown };

/** Collects the unused properties of what is passed to `defineOperation`, and the unused arguments of types. */
function findUnused(value: unknown, cuts: Span[]): void {
  if (Array.isArray(value)) {
    for (const each of value) findUnused(each, cuts);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const { type, callee } = node as Node & { callee?: Callee };
  if (type === 'CallExpression' && callee?.name === 'defineOperation') {
    const [operation] = node.arguments as readonly { properties: readonly Property[] }[];
    const [unused, used] = partition(operation?.properties ?? [], ({ key }) => UNUSED.has(key?.name ?? ''));
    cuts.push(...unused);
    findUnused(used, cuts);
    return;
  }
  if (type === 'CallExpression' && TEXT_TYPES.has(callee?.name ?? '')) {
    cuts.push(...(node.arguments as readonly Node[]));
    return;
  }
  if (type === 'CallExpression' && callee?.object?.name === 'Type') {
    const given = node.arguments as readonly Node[];
    // The other types say nothing about the names of parameters, and the options are limits and descriptions.
    const used = WITH_NAMES.has(callee.property?.name ?? '') ? 1 : 0;
    cuts.push(...given.slice(used));
    findUnused(given.slice(0, used), cuts);
    return;
  }
  if (isDescription(node)) cuts.push(node);
  else for (const child of Object.values(node)) findUnused(child, cuts);
}

/**
 * A text for the description of another type, as in `{ ...Uuid, description: 'the game' }`: not a field of this name.
 */
function isDescription(node: Node): boolean {
  const { key, value } = node as Node & Property & { readonly value?: Node };
  return node.type === 'Property' && key?.name === 'description' && TEXTS.has(value?.type ?? '');
}

/** Collects the meanings and remedies of error codes. */
function findTexts(value: unknown, cuts: Span[]): void {
  if (typeof value !== 'object' || value === null) return;
  const { type, key, ...node } = value as Node & Property;
  if (type === 'Property' && ERROR_TEXTS.has(key?.name ?? '')) cuts.push(node);
  else for (const child of Object.values(value)) findTexts(child, cuts);
}

type Named = { readonly name?: string };
type Callee = Named & { readonly object?: Named; readonly property?: Named };
type Property = Span & { readonly key?: Named };

/** Removes the spans, each with the comma behind it. */
function cutOut(code: string, cuts: readonly Span[]): string {
  let text = code;
  for (const { start, end } of cuts.toSorted((a, b) => b.start - a.start)) {
    const after = text.slice(end);
    text = text.slice(0, start) + after.replace(/^\s*,/, '');
  }
  return text;
}

function partition<Item>(items: readonly Item[], check: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(check), items.filter((item) => !check(item))];
}
