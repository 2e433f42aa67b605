// Creates the MCP tools from the operations that the contract marks for MCP: names, schemas, hints and descriptions.
import { ERRORS } from '@chauffeur/contract/errors';
import type { McpMark, Operation } from '@chauffeur/contract/operation';
import type { Perform, Performable } from '../request/perform.ts';
import { APPROVAL_INPUT, describeApproval, errorsOfTool, isRisky, WAITING_OUTPUT } from './approval-tools.ts';
import type { Schema } from './schema-walk.ts';

export type Tool = {
  readonly name: string;
  readonly operation: Operation;
  readonly mark: McpMark;
  readonly perform: Perform;
  /** With the marks of untrusted texts, which clients see only as descriptions. */
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
      outputSchema: plain(output) as ToolDefinition['outputSchema'],
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

const CUT: Schema = {
  type: 'object',
  description: 'Present if parts were left out to keep the result short',
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
    // While a change waits for approval, its own fields are missing.
    required: mayWait ? [] : required,
  };
}

/** The schema as JSON without our own keywords, because some clients reject unknown keywords. */
function plain(schema: Schema): unknown {
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'x-untrusted' ? undefined : value)));
}
