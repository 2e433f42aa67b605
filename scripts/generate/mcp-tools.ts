// Writes docs/mcp-tools.md: every tool of the MCP server, what it does, what it takes and what it may answer as an error.
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { describeApproval, errorsOfTool } from '../../packages/server/src/mcp/approval-tools.ts';
import { type Tool, toolsOf } from '../../packages/server/src/mcp/tools.ts';
import { fieldsOf, type Schema } from './fields.ts';
import { blocks, code, fragmentOf, notice, page, table } from './markdown.ts';

const INTRODUCTION = `What an agent can do over MCP; how to connect one stands in [Agents over MCP](mcp.md). Each tool is an [operation of the API](api.md) with the same rights and the same answer.
Tools that write need a key or a connection that may write. \`uid\` is the game's uid or slug, but for approvals, where it is the approval's.`;

export function writeMcpTools(): string {
  const tools = [...toolsOf(OPERATIONS.map((operation) => ({ operation, perform: refuse }))).values()];
  const sorted = tools.toSorted((a, b) => a.name.localeCompare(b.name));
  return page(
    notice('packages/contract/src/operations'),
    '# MCP tools',
    INTRODUCTION,
    '## All tools',
    table(['Tool', 'Does', 'Hints'], sorted.map(indexRow)),
    ...sorted.map(describe),
  );
}

/** Nothing is performed here. */
async function refuse(): Promise<never> {
  throw new Error('tools are only described here');
}

function indexRow({ name, operation, definition }: Tool): string[] {
  return [`[\`${name}\`](#${fragmentOf(name)})`, operation.summary, hintsOf(definition.annotations).join(', ')];
}

function hintsOf({ readOnlyHint, destructiveHint, idempotentHint }: Tool['definition']['annotations']): string[] {
  if (readOnlyHint) return ['reads'];
  return ['writes', ...(destructiveHint ? ['destructive'] : []), ...(idempotentHint ? ['idempotent'] : [])];
}

function describe({ name, operation, definition }: Tool): string {
  const errors = errorsOfTool(name, operation.errors);
  const fields = fieldsOf(definition.inputSchema as Schema, () => undefined);
  const rows = fields.map(({ name: field, type, required, meaning }) => [
    code(field) + (required ? '' : ' (optional)'),
    type,
    meaning,
  ]);
  return blocks(
    `## ${name}`,
    `${operation.summary}. Answers as [\`${operation.id}\`](api.md#${fragmentOf(operation.id)}).`,
    describeApproval(name),
    rows.length === 0 ? 'No parameters.' : table(['Parameter', 'Type', 'Meaning'], rows),
    errors.length === 0 ? '' : `Errors: ${errors.map((one) => `[${one}](errors.md#${one})`).join(', ')}.`,
  );
}
