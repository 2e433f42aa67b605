// Writes docs/api.md: every operation of the contract with its input, answers and errors.
import type { ErrorCode } from '@chauffeur/contract/errors';
import { type Access, errorsOf, type Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import { API_INTRODUCTION } from './api-introduction.ts';
import { EXAMPLES, NOTES } from './examples.ts';
import { type Field, fieldsOf, type NameOf, type Schema, schemaOf } from './fields.ts';
import { blocks, code, fragmentOf, notice, page, table } from './markdown.ts';
import { findRecords, type Records } from './records.ts';

/** Heading and caller of each kind of access, in the order of the document. */
const KINDS: Readonly<Record<Access, { heading: string; caller: string }>> = {
  deploy_key: { heading: 'With a deploy key', caller: 'a game, by its deploy key' },
  public: { heading: 'Public', caller: 'anyone; a session or a deploy key widens what the caller sees' },
  account: { heading: 'With an account', caller: 'a signed-in person' },
  operator: { heading: 'For operators', caller: 'a signed-in operator of the service' },
};

const MEDIA_TYPES = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
} as const;

const MIB = 1024 * 1024;

export async function writeApi(): Promise<string> {
  requireKnown(Object.keys({ ...EXAMPLES, ...NOTES }));
  const records = await findRecords();
  const sections = Object.entries(KINDS).map(([access, { heading, caller }]) => {
    const operations = OPERATIONS.filter((operation) => operation.access === access);
    const shared = sharedErrors(operations);
    const described = operations.map((operation) => describe(operation, caller, shared, records.nameOf));
    const rule = `Beside its own errors, every operation here may answer ${linksTo(shared)}.`;
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
    describeRecords(records, texts),
  );
}

function requireKnown(ids: readonly string[]): void {
  for (const id of ids) {
    if (!OPERATIONS.some((operation) => operation.id === id))
      throw new Error(`scripts/generate/examples.ts names ${id}, which is no operation: rename or remove it there.`);
  }
}

function overview(heading: string, operations: readonly Operation[]): string {
  const rows = operations.map((operation) => [
    `[${code(operation.id)}](#${fragmentOf(operation.id)})`,
    code(`${operation.method} ${operation.path}`),
    operation.summary,
  ]);
  return table([heading, 'Request', 'What it does'], rows);
}

/** The codes that all of them may answer: said once, not for each. */
function sharedErrors(operations: readonly Operation[]): ErrorCode[] {
  const [first, ...others] = operations.map(errorsOf);
  return (first ?? []).filter((errorCode) => others.every((codes) => codes.includes(errorCode)));
}

function linksTo(codes: readonly ErrorCode[]): string {
  return codes.map((errorCode) => `[${errorCode}](errors.md#${errorCode})`).join(', ');
}

function describe(operation: Operation, caller: string, shared: readonly ErrorCode[], nameOf: NameOf): string {
  const { id, summary, method, path, host } = operation;
  const base = host === 'upload' ? '{upload_url}' : '{base_url}';
  const example = EXAMPLES[id];
  const own = errorsOf(operation).filter((errorCode) => !shared.includes(errorCode));
  return blocks(
    `### ${id}`,
    `${summary}.`,
    fence('http', `${method} ${base}/api/v1${path}`),
    [`- **Caller:** ${caller}`, ...bodyLine(operation)].join('\n'),
    inputTable(operation, nameOf),
    NOTES[id] ?? '',
    describeAnswer(operation, nameOf),
    own.length === 0 ? '' : `**Errors:** ${linksTo(own)}`,
    example === undefined ? '' : fence('sh', example),
  );
}

function bodyLine({ body, bodyKind = 'json', bodyLimit = MIB }: Operation): string[] {
  if (body === undefined) return [];
  const limit = bodyKind === 'json' ? `, at most ${bodyLimit / MIB} MiB` : '';
  return [`- **Body:** ${code(MEDIA_TYPES[bodyKind])}${limit}`];
}

function inputTable({ params, query, body }: Operation, nameOf: NameOf): string {
  const places = { path: params, query, body };
  const rows = Object.entries(places).flatMap(([place, schema]) =>
    schema === undefined
      ? []
      : fieldsOf(schemaOf(schema), nameOf).map(({ name, type, required, meaning }) => [
          code(name),
          place,
          required ? 'yes' : 'no',
          type,
          meaning,
        ]),
  );
  return rows.length === 0 ? '' : table(['Field', 'In', 'Required', 'Type', 'Meaning'], rows);
}

function describeAnswer({ output, statuses, answerKind }: Operation, nameOf: NameOf): string {
  const any = statuses.join(' or ');
  if (answerKind === 'bytes') return `**Answers** ${any}: the bytes themselves, without an envelope.`;
  if (output === undefined) return `**Answers** ${any}.`;
  const schema = schemaOf(output);
  // A union has one form for each status, in their order.
  const forms = schema.anyOf?.map((form, index) => ({ status: String(statuses[index] ?? any), form }));
  return blocks(
    ...(forms ?? [{ status: any, form: schema }]).map(({ status, form }) => describeForm(status, form, nameOf)),
  );
}

function describeForm(status: string, form: Schema, nameOf: NameOf): string {
  const record = nameOf(form);
  if (record !== undefined) return `**Answers** ${status} with [${record}](#${fragmentOf(record)}).`;
  return blocks(`**Answers** ${status} with`, fieldTable(fieldsOf(form, nameOf)));
}

function fieldTable(fields: readonly Field[]): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    fields.map(({ name, type, meaning }) => [code(name), type, meaning]),
  );
}

/** The records that an operation or another record links to. */
function describeRecords({ schemas, nameOf }: Records, texts: readonly string[]): string {
  const described = [...schemas].map(([name, schema]) => ({ name, text: fieldTable(fieldsOf(schema, nameOf)) }));
  const isLinked = (name: string, within: readonly string[]) =>
    within.some((text) => text.includes(`](#${fragmentOf(name)})`));
  const linked = described.filter(({ name }) => isLinked(name, [...texts, ...described.map(({ text }) => text)]));
  const sections = linked
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => blocks(`### ${name}`, text));
  return blocks('## Records', 'Objects that several answers hold.', ...sections);
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
