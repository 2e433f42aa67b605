// Makes tools of the operations that the contract marks for MCP: their names, schemas, hints and descriptions, and nothing else.
import { ERRORS } from '@chauffeur/contract/errors';
import type { McpMark, Operation } from '@chauffeur/contract/operation';
import type { Perform, Performable } from '../kernel/perform.ts';
import { APPROVAL_INPUT, errorsOfTool, isRisky, sayWaiting, WAITING_OUTPUT } from './approval-tools.ts';
import type { Schema } from './schema-walk.ts';

export type Tool = {
  readonly name: string;
  readonly operation: Operation;
  readonly mark: McpMark;
  readonly perform: Perform;
  /** With the marks of what is from outside, which clients are told in words alone. */
  readonly output: Schema;
  readonly definition: ToolDefinition;
};

/** As `tools/list` answers it (MCP 2026-07-28, Server features, Tools). */
export type ToolDefinition = {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object'; [keyword: string]: unknown };
  outputSchema: { type: 'object'; [keyword: string]: unknown };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: false };
};

/** Every marked operation as a tool, by its name. */
export function toolsOf(performables: readonly Partial<Performable>[]): ReadonlyMap<string, Tool> {
  const tools = performables.flatMap(({ operation, perform }) =>
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
      outputSchema: plain(output) as ToolDefinition['outputSchema'],
      annotations: hintsOf(operation, mark),
    },
  };
}

/** What a reader cannot tell of the schemas: what it is for, and what can go wrong. */
function descriptionOf({ summary, errors }: Operation, { tool, scope, more = '' }: McpMark): string {
  const needs = scope === 'mcp:write' ? 'Changes things: needs a key or connection that may write.' : '';
  const failures = errorsOfTool(tool, errors).map(
    (code) => `- ${code}: ${ERRORS[code].meaning} ${ERRORS[code].remedy}`,
  );
  const said = [`${summary}.`, sayWaiting(tool), needs, more].filter((line) => line !== '');
  return [...said, ...(failures.length === 0 ? [] : ['Errors:', ...failures])].join('\n');
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

/** Parameters of path, query and body side by side. */
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

const CUT: Schema = {
  type: 'object',
  description: 'Present when something was left out to keep the answer short',
  properties: {
    left_out: {
      type: 'array',
      items: {
        type: 'object',
        properties: { at: { type: 'string' }, shown: { type: 'integer' }, of: { type: 'integer' } },
      } as Schema,
    } as Schema,
    read_on: { type: 'string', description: 'How to get the rest' } as Schema,
  },
} as Schema;

function outputOf({ output }: Operation, tool: string): Schema {
  const { properties = {}, required = [] } = (output ?? {}) as Schema;
  const mayWait = isRisky(tool);
  return {
    type: 'object',
    properties: { ...properties, ...(mayWait ? WAITING_OUTPUT : {}), cut: CUT },
    // A change that waits for approval answers nothing of itself yet.
    required: mayWait ? [] : required,
  };
}

/** As JSON, without the marks that only we know: some clients refuse schemas with words that they do not know. */
function plain(schema: Schema): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'x-untrusted' ? undefined : value)));
}
