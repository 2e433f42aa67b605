// Writes docs/errors.md: every code of the contract, what it means, what to do, and which operations answer it.
import { ERRORS, type ErrorCode, isErrorCode, statusesOf } from '@chauffeur/contract/errors';
import { type Access, errorsOf, type Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { blocks, code, fragmentOf, notice, page, table } from './markdown.ts';

const INTRODUCTION = `A failed request answers with an HTTP status and a code. The status says what kind of problem it is; the code says which.

\`\`\`json
{ "success": false, "error": { "code": 4040, "message": "There is no such thing, or you may not see it." } }
\`\`\`

The message names the field, its problem and the remedy, and its words may change: decide by the code. Where a program can act on
more, a \`data\` object stands both beside \`error\` and inside it, with

- \`current_size\`: the byte at which an upload session continues,
- \`retry_after\`: seconds to wait, also in the \`Retry-After\` header.

Every answer carries \`X-Request-Id\`; give it to the operator when you report a problem.`;

const EVERY_OPERATION_OF: Record<Access, string> = {
  public: 'every public operation',
  account: 'every operation that needs a signed-in account',
  deploy_key: 'every operation that needs a deploy key',
  operator: 'every operation for operators',
};

export function writeErrors(): string {
  const codes = Object.keys(ERRORS).map(Number).filter(isErrorCode);
  return page(
    notice('packages/contract/src/errors.ts'),
    '# Errors',
    INTRODUCTION,
    '## All codes',
    table(['Code', 'HTTP', 'Meaning'], codes.map(indexRow)),
    ...codes.map(describe),
  );
}

function indexRow(errorCode: ErrorCode): string[] {
  return [`[${errorCode}](#${errorCode})`, statusesOf(errorCode).join(', '), ERRORS[errorCode].meaning];
}

function describe(errorCode: ErrorCode): string {
  const { meaning, remedy } = ERRORS[errorCode];
  return blocks(
    `## ${errorCode}`,
    meaning,
    [
      `- **HTTP status:** ${statusesOf(errorCode).join(' or ')}`,
      `- **What to do:** ${remedy}`,
      `- **Answered by:** ${answeredBy(errorCode)}`,
    ].join('\n'),
  );
}

/** Whole kinds of operations by their kind, the others one by one. */
function answeredBy(errorCode: ErrorCode): string {
  const answers = (operation: Operation) => errorsOf(operation).includes(errorCode);
  if (OPERATIONS.every(answers)) return 'every operation.';
  const whole = Map.groupBy(OPERATIONS, ({ access }) => access)
    .entries()
    .filter(([, operations]) => operations.every(answers))
    .map(([access]) => access)
    .toArray();
  const single = OPERATIONS.filter((operation) => answers(operation) && !whole.includes(operation.access));
  const names = [...whole.map((access) => EVERY_OPERATION_OF[access]), ...single.map(linkTo)];
  return names.length === 0 ? 'no operation of this API.' : `${names.join(', ')}.`;
}

function linkTo({ id }: Operation): string {
  return `[${code(id)}](api.md#${fragmentOf(id)})`;
}
