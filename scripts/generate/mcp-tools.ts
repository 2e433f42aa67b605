// Writes docs/mcp-tools.md: every tool of the MCP server with its purpose, parameters and errors.
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { describeApproval, errorsOfTool } from '../../packages/server/src/mcp/approval-tools.ts';
import { toolGroupOf } from '../../packages/server/src/mcp/tool-choice.ts';
import { type Tool, toolsOf } from '../../packages/server/src/mcp/tools.ts';
import { fieldsOf, type Schema } from './fields.ts';
import { blocks, code, fragmentOf, notice, page, table } from './markdown.ts';

const INTRODUCTION = `The tools that an agent can call over MCP. To connect an agent, see [Agents over MCP](mcp.md).

Each tool calls an [operation of the API](api.md) and returns the same data. Tools that make changes need a key or connection with write
access. \`uid\` is the uid or slug of a game, except in approval tools, where it is the uid of the approval.`;

export function writeMcpTools(): string {
  const tools = [...toolsOf(OPERATIONS.map((operation) => ({ operation, perform: refuse }))).values()];
  const sorted = tools.toSorted((a, b) => a.name.localeCompare(b.name));
  return page(
    notice('packages/contract/src/operations'),
    '# MCP tools',
    INTRODUCTION,
    '## All tools',
    table(['Tool', 'Purpose', 'Hints'], sorted.map(indexRow)),
    '## Groups',
    'An address such as `/mcp?tools=crashes,bugs` [offers only these groups](mcp.md#choose-the-tools).',
    table(['Group', 'Tools'], groupRows(sorted)),
    ...sorted.map(describe),
  );
}

/** The tools are only described here and never called. */
async function refuse(): Promise<never> {
  throw new Error('tools are only described here');
}

function groupRows(tools: readonly Tool[]): string[][] {
  const groups = [...Map.groupBy(tools, toolGroupOf)].toSorted(([a], [b]) => a.localeCompare(b));
  return groups.map(([group, members]) => [code(group), members.map(({ name }) => code(name)).join(', ')]);
}

function indexRow({ name, operation, definition }: Tool): string[] {
  return [`[\`${name}\`](#${fragmentOf(name)})`, operation.summary, hintsOf(definition.annotations).join(', ')];
}

function hintsOf({ readOnlyHint, destructiveHint, idempotentHint }: Tool['definition']['annotations']): string[] {
  if (readOnlyHint) return ['read-only'];
  return ['makes changes', ...(destructiveHint ? ['destructive'] : []), ...(idempotentHint ? ['idempotent'] : [])];
}

function describe({ name, operation, mark, definition }: Tool): string {
  const errors = errorsOfTool(name, operation.errors);
  const fields = fieldsOf(definition.inputSchema as Schema, () => undefined);
  const rows = fields.map(({ name: field, type, required, meaning }) => [
    code(field) + (required ? '' : ' (optional)'),
    type,
    meaning,
  ]);
  return blocks(
    `## ${name}`,
    `${operation.summary}. ${mark.when}`,
    describeApproval(name),
    `Returns the data of [\`${operation.id}\`](api.md#${fragmentOf(operation.id)}).`,
    rows.length === 0 ? 'No parameters.' : table(['Parameter', 'Type', 'Meaning'], rows),
    errors.length === 0 ? '' : `Errors: ${errors.map((error) => `[${error}](errors.md#${error})`).join(', ')}.`,
  );
}
