// Creates the MCP tools from the operations that the contract marks for MCP: names, schemas, hints and descriptions.
import { ERRORS } from '@chauffeur/contract/errors';
import type { McpMark, Operation } from '@chauffeur/contract/operation';
import { NextCursor, Timestamp, Uuid } from '@chauffeur/contract/operations/fields';
import type { Perform, Performable } from '../request/perform.ts';
import { APPROVAL_INPUT, describeApproval, errorsOfTool, isRisky, WAITING_OUTPUT } from './approval-tools.ts';
import type { Schema } from './schema-walk.ts';

export type Tool = {
  readonly name: string;
  readonly operation: Operation;
  readonly mark: McpMark;
  readonly perform: Perform;
  /** The schema has the marks of untrusted texts, which clients see only as descriptions. */
  readonly output: Schema;
  readonly definition: ToolDefinition;
};

/** An item of `tools/list` (MCP 2026-07-28, Server features, Tools). */
type ToolDefinition = {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  outputSchema: { type: 'object'; [keyword: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false };
};

/** The tools by name. */
export function toolsOf(operations: readonly Partial<Performable>[]): ReadonlyMap<string, Tool> {
  const tools = operations.flatMap(({ operation, perform }) =>
    operation?.mcp === undefined || perform === undefined ? [] : [toolOf(operation, operation.mcp, perform)],
  );
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(operation: Operation, mark: McpMark, perform: Perform): Tool {
  const { tool: name } = mark;
  const output = outputOf(operation, name);
  return {
    name,
    operation,
    mark,
    perform,
    output,
    definition: {
      name,
      title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
      description: descriptionOf(operation, mark),
      inputSchema: plain(inputOf(operation, mark)) as ToolDefinition['inputSchema'],
      outputSchema: plain(shorten(output)) as ToolDefinition['outputSchema'],
      annotations: hintsOf(operation, mark),
    },
  };
}

/** Everything that the schemas do not show: what the tool does, when to use it, and its errors. */
function descriptionOf({ summary, errors }: Operation, { tool, when, scope, more = '' }: McpMark): string {
  const needs = scope === 'mcp:write' ? 'Makes changes: needs a key or connection with write access.' : '';
  const failures = errorsOfTool(tool, errors).map(
    (code) => `- ${code}: ${ERRORS[code].meaning} ${ERRORS[code].remedy}`,
  );
  const lines = [`${summary}.`, when, describeApproval(tool), needs, more].filter((line) => line !== '');
  return [...lines, ...(failures.length === 0 ? [] : ['Errors:', ...failures])].join('\n');
}

function hintsOf({ method }: Operation, mark: McpMark): ToolDefinition['annotations'] {
  const readOnlyHint = mark.scope === 'mcp:read';
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && (mark.destructive ?? method === 'DELETE'),
    idempotentHint: readOnlyHint || (mark.idempotent ?? method !== 'POST'),
    openWorldHint: false,
  };
}

/** The parameters of path, query and body in one object. */
function inputOf({ params, query, body }: Operation, { tool, without = [] }: McpMark): Schema {
  const parts = [params, query, body] as (Schema | undefined)[];
  const properties = Object.assign({}, ...parts.map((part) => part?.properties), isRisky(tool) ? APPROVAL_INPUT : {});
  for (const name of without) delete properties[name];
  return {
    type: 'object',
    properties,
    required: parts.flatMap((part) => part?.required ?? []),
    additionalProperties: false,
  };
}

/** What `fit` adds. The instructions of the server say what is in it, because all tools have it. */
const CUT: Schema = { type: 'object', description: 'Which parts were left out to keep the result short' } as Schema;

function outputOf({ output }: Operation, tool: string): Schema {
  const { properties = {}, required = [] } = (output ?? {}) as Schema;
  const mayWait = isRisky(tool);
  return {
    type: 'object',
    properties: { ...properties, ...(mayWait ? WAITING_OUTPUT : {}), cut: CUT },
    // While a change waits for approval, its own fields are missing.
    required: mayWait ? [] : required,
  };
}

/** Keywords of values, which a client does not need to read a result. */
const VALUE_KEYWORDS = new Set([
  'additionalProperties',
  'format',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
  'uniqueItems',
]);
/** Descriptions that many fields share. The instructions of the server have what they say. */
const SHARED_DESCRIPTIONS = new Set(
  [Uuid, Timestamp, ...NextCursor.anyOf].map((schema: object) => (schema as { description?: string }).description),
);
/** The levels of fields that are described, and those whose names are listed at all. */
const LEVELS = { described: 1, listed: 2 } as const;

/**
 * The schema of a result as clients get it. They keep the schemas of all tools in the context of the model, so it has
 * the names and types of the first two levels of fields, and describes those of the first; deeper, it only marks
 * untrusted text. A result that matches the whole schema also matches this one.
 */
export function shorten(schema: Schema, level = 0): Schema {
  const short: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (VALUE_KEYWORDS.has(keyword) || (keyword === 'required' && level > 0)) continue;
    if (keyword === 'description') {
      if (SHARED_DESCRIPTIONS.has(String(value))) continue;
      if (level <= LEVELS.described) short.description = value;
      else if (schema['x-untrusted'] === true) short.description = 'Untrusted';
    } else if (keyword === 'properties') {
      if (level < LEVELS.listed) short.properties = shortenAll(value as Record<string, Schema>, level + 1);
    } else if (keyword === 'items') short.items = shorten(value as Schema, level);
    else if (keyword === 'anyOf')
      Object.assign(short, unionOf((value as Schema[]).map((part) => shorten(part, level))));
    else short[keyword] = value;
  }
  return short as Schema;
}

function shortenAll(properties: Readonly<Record<string, Schema>>, level: number): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, shorten(part, level)]));
}

/** A union of plain types is one list of them. */
function unionOf(parts: readonly Schema[]): Record<string, unknown> {
  const isPlain = parts.every((part) => Object.keys(part).length === 1 && typeof part.type === 'string');
  return isPlain ? { type: [...new Set(parts.map(({ type }) => type))] } : { anyOf: parts };
}

/** The schema as JSON without our own keywords, because some clients reject unknown keywords. */
function plain(schema: Schema): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'x-untrusted' ? undefined : value)));
}
