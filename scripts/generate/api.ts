// Writes docs/api.md: every operation of the contract with its input, responses and errors.
import { bodyBoundsOf } from '@chauffeur/contract/body-bounds';
import type { ErrorCode } from '@chauffeur/contract/errors';
import { formatBytes } from '@chauffeur/contract/format';
import { bodiesOf, parametersOf, type SuccessResponse, successesOf } from '@chauffeur/contract/messages';
import { type Access, describeRole, errorsOf, type Operation, tokenScopeOf } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { EXAMPLES, NOTES } from './examples.ts';
import { type Field, fieldsOf, nameOf, RECORDS, type Schema, schemaOf } from './fields.ts';
import { blocks, code, fragmentOf, notice, page, table } from './markdown.ts';

/** Heading and caller of each kind of access, in the order of the document. */
const KINDS: Readonly<Record<Access, { heading: string; caller: string }>> = {
  deploy_key: { heading: 'With a deploy key', caller: 'a client with a deploy key or an upload token' },
  public: { heading: 'Public', caller: 'anyone; a session or a deploy key can give access to more' },
  account: { heading: 'With an account', caller: 'a signed-in user' },
  operator: { heading: 'For operators', caller: 'a signed-in operator' },
};

export function writeApi(): string {
  requireOperations(Object.keys({ ...EXAMPLES, ...NOTES }));
  const sections = Object.entries(KINDS).map(([access, { heading, caller }]) => {
    const operations = OPERATIONS.filter((operation) => operation.access === access);
    const shared = sharedErrors(operations);
    const described = operations.map((operation) => describe(operation, caller, shared));
    const rule = `In addition to its own errors, every operation in this section can return ${linksTo(shared)}.`;
    return { heading, operations, text: blocks(`## ${heading}`, rule, ...described) };
  });
  const texts = sections.map(({ text }) => text);
  return page(
    notice('packages/contract/src/operations'),
    '# API reference',
    API_INTRODUCTION,
    '## Operations',
    ...sections.map(({ heading, operations }) => overview(heading, operations)),
    ...texts,
    describeRecords(texts),
  );
}

function requireOperations(ids: readonly string[]): void {
  for (const id of ids) {
    if (!OPERATIONS.some((operation) => operation.id === id))
      throw new Error(
        `scripts/generate/examples.ts names ${id}, which is not an operation: rename or remove it there.`,
      );
  }
}

function overview(heading: string, operations: readonly Operation[]): string {
  const rows = operations.map((operation) => [
    `[${code(operation.id)}](#${fragmentOf(operation.id)})`,
    code(`${operation.method} ${operation.path}`),
    operation.summary,
  ]);
  return table([heading, 'Request', 'Description'], rows);
}

/** The codes that all of the operations can return. They are listed only once. */
function sharedErrors(operations: readonly Operation[]): ErrorCode[] {
  const [first, ...others] = operations.map(errorsOf);
  return (first ?? []).filter((errorCode) => others.every((codes) => codes.includes(errorCode)));
}

function linksTo(codes: readonly ErrorCode[]): string {
  return codes.map((errorCode) => `[${errorCode}](errors.md#${errorCode})`).join(', ');
}

function describe(operation: Operation, caller: string, shared: readonly ErrorCode[]): string {
  const { id, summary, method, path, host } = operation;
  const base = host === 'upload' ? '{upload_url}' : '{base_url}';
  const example = EXAMPLES[id];
  const own = errorsOf(operation).filter((errorCode) => !shared.includes(errorCode));
  return blocks(
    `### ${id}`,
    `${summary}.`,
    fence('http', `${method} ${base}/api/v1${path}`),
    [
      `- **Caller:** ${caller}`,
      ...roleLines(operation),
      ...scopeLines(operation),
      ...tokenLines(operation),
      ...bodyLines(operation),
    ].join('\n'),
    inputTable(operation),
    NOTES[id] ?? '',
    describeResponses(operation),
    own.length === 0 ? '' : `**Errors:** ${linksTo(own)}`,
    example === undefined ? '' : fence('sh', example),
  );
}

function tokenLines(operation: Operation): string[] {
  const scope = tokenScopeOf(operation);
  return scope === null ? [] : [`- **Scope of API tokens:** ${code(scope)}`];
}

function scopeLines({ uploadScope }: Operation): string[] {
  if (uploadScope === undefined) return [];
  return [
    uploadScope === 'any' ? '- **Scope of upload tokens:** any' : `- **Scope of upload tokens:** ${code(uploadScope)}`,
  ];
}

function roleLines(operation: Operation): string[] {
  const description = describeRole(operation);
  return description === undefined ? [] : [`- **Role:** ${operation.role}. ${description}`];
}

function bodyLines(operation: Operation): string[] {
  const bodies = bodiesOf(operation);
  if (bodies.length === 0) return [];
  const isJson = (operation.bodyKind ?? 'json') === 'json';
  const limit = isJson ? `, at most ${formatBytes(bodyBoundsOf(operation).bytes)}` : '';
  const [usual, ...others] = bodies.map(({ contentType }) => code(contentType));
  return [`- **Body:** ${usual}${limit}${others.length === 0 ? '' : `; also ${others.join(', ')}`}`];
}

function inputTable(operation: Operation): string {
  const parameters = parametersOf(operation).map((parameter) => {
    const [field] = fieldsOf({ properties: { [parameter.name]: schemaOf(parameter.schema) } }, nameOf);
    return [code(parameter.name), parameter.place, required(parameter.required), field?.type, field?.meaning];
  });
  const fields = bodiesOf(operation).flatMap(({ contentType, schema }, index) =>
    fieldsOf(schemaOf(schema), nameOf).map((field) => [
      code(field.name),
      index === 0 ? 'body' : code(contentType),
      required(field.required),
      field.type,
      field.meaning,
    ]),
  );
  const rows = distinct([...parameters, ...fields] as string[][]);
  return rows.length === 0 ? '' : table(['Field', 'In', 'Required', 'Type', 'Meaning'], rows);
}

function required(isRequired: boolean): string {
  return isRequired ? 'yes' : 'no';
}

/** Keeps one row for a field that several content types share. */
function distinct(rows: readonly string[][]): string[][] {
  const seen = new Set<string>();
  return rows.filter(([field, place = '', ...rest]) => {
    const key = JSON.stringify([field, place.startsWith('`') ? 'body' : place, ...rest]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Statuses with the same content together. */
function describeResponses(operation: Operation): string {
  const successes = successesOf(operation).filter(({ status }) => status < 300);
  const byContent = Map.groupBy(successes, ({ contents }) => JSON.stringify(contents));
  const rest = successesOf(operation).filter(({ status }) => status >= 300);
  return blocks(
    ...[...byContent.values()].map(describeSuccess),
    rest.length === 0 ? '' : `**Also:** ${rest.map(({ status }) => STATUS_MEANINGS[status] ?? status).join(', ')}.`,
  );
}

const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  302: '302 with the URL of the file in `Location`',
  304: '304 if your copy is current',
  416: '416 if the range is outside of the file',
};

function describeSuccess(successes: readonly SuccessResponse[]): string {
  const statuses = successes.map(({ status }) => status).join(' or ');
  const { contents = [] } = successes[0] ?? {};
  const bytes = contents.filter(({ enveloped, description }) => !enveloped && description === undefined);
  return blocks(
    ...contents.filter(({ enveloped }) => enveloped).map(({ schema }) => describeData(statuses, schemaOf(schema))),
    bytes.length === 0
      ? ''
      : `**Returns** ${statuses} with ${bytes.map(({ contentType }) => code(contentType)).join(', ')}, without an envelope.`,
    ...contents.flatMap(({ contentType, description }) =>
      description === undefined
        ? []
        : [`**Returns** ${statuses} with ${code(contentType)} ${lowerFirst(description)}.`],
    ),
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function describeData(status: string, schema: Schema): string {
  const record = nameOf(schema);
  if (record !== undefined) return `**Returns** ${status} with [${record}](#${fragmentOf(record)}).`;
  return blocks(`**Returns** ${status} with`, fieldTable(fieldsOf(schema, nameOf)));
}

function fieldTable(fields: readonly Field[]): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ name, type, meaning }) => [code(name), type, meaning]),
  );
}

/** The records that an operation or another record links to. */
function describeRecords(texts: readonly string[]): string {
  const described = [...RECORDS].map(([name, schema]) => ({ name, text: fieldTable(fieldsOf(schema, nameOf)) }));
  const isLinked = (name: string, within: readonly string[]) =>
    within.some((text) => text.includes(`](#${fragmentOf(name)})`));
  const linked = described.filter(({ name }) => isLinked(name, [...texts, ...described.map(({ text }) => text)]));
  const sections = linked
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => blocks(`### ${name}`, text));
  return blocks('## Records', 'Objects that are part of several responses.', ...sections);
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

// The prose at the top of the API reference.

const API_INTRODUCTION = `With the API, you ship builds with a deploy key, follow their scans, and let players download them. The server also describes the API in
OpenAPI 3.1 at \`/api/v1/openapi.json\`, from which you can [generate a client](openapi.md).

## Base URLs

All paths start with \`/api/v1\`. \`{base_url}\` is the URL of the service and \`{upload_url}\` the URL for uploads. They are the same
unless the operator has configured a separate upload host. The examples use the environment variables of the \`chauffeur\` command, whose
values end in \`/api/v1\`:

\`\`\`sh
export SERVICE_API_URL=https://games.example.com/api/v1
export SERVICE_UPLOAD_URL=$SERVICE_API_URL
export SERVICE_ACCESS_TOKEN=… SERVICE_SECRET_KEY=…
\`\`\`

## Authentication

**Deploy keys** identify a game. Send the access token and the secret key as \`X-Access-Token\` and \`X-Secret-Key\`, or as user name and
password (HTTP Basic, \`curl -u\`). Creating a key revokes all earlier keys of the game.

**Accounts** identify a person. Sign in and send the cookie with each request. Changes are refused if a browser sends them from a page of
another site.

\`\`\`sh
curl -c cookies https://games.example.com/api/auth/sign-in/email \\
  -H "Content-Type: application/json" \\
  -d '{ "email": "ada@example.com", "password": "…" }'
\`\`\`

**Public** operations need no authentication.

## The envelope

Every JSON response has an envelope. The tables on this page describe its \`data\`.

\`\`\`json
{ "success": true, "data": { "build_id": "0199a1b2-…", "created": true } }
\`\`\`

\`\`\`json
{ "success": false, "error": { "code": 4039, "message": "The game does not have this build." } }
\`\`\`

[Errors](errors.md) lists every error code and how to fix it. Every response has an \`X-Request-Id\`. If you reach a limit, the response has
the status 429 and the number of seconds to wait in \`Retry-After\`. Unknown fields are ignored.`;
