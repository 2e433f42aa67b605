// Writes docs/errors.md: every error code with its meaning, its remedy and the operations that return it.
import { ERRORS, type ErrorCode, isErrorCode, statusesOf } from '@chauffeur/contract/errors';
import { type Access, errorsOf, type Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { blocks, code, fragmentOf, notice, page, table } from './markdown.ts';

const INTRODUCTION = `The response to a failed request has an HTTP status and an error code. The status is the kind of problem, and the code identifies it.

\`\`\`json
{ "success": false, "error": { "code": 4040, "message": "Not found, or not visible to you." } }
\`\`\`

The message names the field, the problem and what to do. Its wording can change, so programs should use the code. Some errors also have a
\`data\` object, both inside \`error\` and next to it:

- \`current_size\`: the byte at which to continue an upload session.
- \`retry_after\`: the number of seconds to wait, which is also in the \`Retry-After\` header.

Every response has an \`X-Request-Id\`. Include it when you report a problem to the operator.`;

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
      `- **Returned by:** ${returnedBy(errorCode)}`,
    ].join('\n'),
  );
}

/** Names the kinds of which all operations return the code, and links the other operations. */
function returnedBy(errorCode: ErrorCode): string {
  const returns = (operation: Operation) => errorsOf(operation).includes(errorCode);
  if (OPERATIONS.every(returns)) return 'every operation.';
  const whole = Map.groupBy(OPERATIONS, ({ access }) => access)
    .entries()
    .filter(([, operations]) => operations.every(returns))
    .map(([access]) => access)
    .toArray();
  const single = OPERATIONS.filter((operation) => returns(operation) && !whole.includes(operation.access));
  const names = [...whole.map((access) => EVERY_OPERATION_OF[access]), ...single.map(linkTo)];
  return names.length === 0 ? 'no operation of this API.' : `${names.join(', ')}.`;
}

function linkTo({ id }: Operation): string {
  return `[${code(id)}](api.md#${fragmentOf(id)})`;
}
