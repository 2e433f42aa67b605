// Leaves out of the website what it doesn't need of the contract: the results, summaries, errors and MCP tools of
// operations are for the server, the API reference and other clients. The website needs their addresses and parameters.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const OPERATIONS = /packages\/contract\/src\/operations\/[\w-]+\.ts$/;
const UNUSED = new Set(['summary', 'output', 'errors', 'example', 'mcp']);
const TYPEBOX = fileURLToPath(new URL('./src/typebox-names.ts', import.meta.url));

export function slimContract(): Plugin {
  return {
    name: 'slim contract',
    apply: 'build',
    // After the types were removed, which the parser does not read.
    enforce: 'post',
    config: () => ({ resolve: { alias: [{ find: /^typebox$/, replacement: TYPEBOX }] } }),
    transform: {
      filter: { id: OPERATIONS },
      handler(code) {
        const cuts: Span[] = [];
        findUnused(this.parse(code), cuts);
        return cutOut(code, cuts);
      },
    },
  };
}

type Span = { readonly start: number; readonly end: number };
type Node = Span & { readonly type: string; readonly [field: string]: unknown };

/** Collects the unused properties of the objects that are passed to `defineOperation`. */
function findUnused(value: unknown, cuts: Span[]): void {
  if (Array.isArray(value)) {
    for (const each of value) findUnused(each, cuts);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const node = value as Node;
  const { type, callee } = node as Node & { callee?: { name?: string } };
  if (type === 'CallExpression' && callee?.name === 'defineOperation') {
    const [operation] = node.arguments as readonly { properties: readonly Property[] }[];
    cuts.push(...(operation?.properties.filter(({ key }) => UNUSED.has(key?.name ?? '')) ?? []));
    return;
  }
  for (const child of Object.values(node)) findUnused(child, cuts);
}

type Property = Span & { readonly key?: { readonly name?: string } };

/** Removes the spans, each with the comma behind it. */
function cutOut(code: string, cuts: readonly Span[]): string {
  let text = code;
  for (const { start, end } of cuts.toSorted((a, b) => b.start - a.start)) {
    const after = text.slice(end);
    text = text.slice(0, start) + after.replace(/^\s*,/, '');
  }
  return text;
}
