// Compares responses of the server with the OpenAPI document that it serves: status, headers, content type, code,
// schema.
import type { Operation } from '@chauffeur/contract/operation';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TestServer } from './server.ts';

type Ref = { $ref?: string };
type Described = Ref & {
  headers?: Record<string, object>;
  content?: Record<string, { schema: object }>;
  'x-error-codes'?: number[];
};
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Described> }>>;
  [part: string]: unknown;
};

export type SeenResponse = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
};

/** Returns how a response differs from the document's description of the operation; null if it does not. */
export type FindMismatch = (operation: Operation, response: SeenResponse) => string | null;

/** Headers that clients act on. A response may only have them if the document lists them. */
const NAMED_HEADERS = [
  'x-request-id',
  'retry-after',
  'www-authenticate',
  'location',
  'etag',
  'content-range',
  'content-disposition',
];

export async function readDescription(server: TestServer): Promise<FindMismatch> {
  const document = sealed(await (await fetch(`${server.api}/openapi.json`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const validators = new Map<string, ValidateFunction>();

  function validate(path: readonly string[], value: unknown): string | null {
    const pointer = path.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent);
    const $ref = `document#/${pointer.join('/')}`;
    const check = validators.getOrInsertComputed($ref, () => ajv.compile({ $ref }));
    return check(value) ? null : ajv.errorsText(check.errors);
  }

  return (operation, { status, headers, text }) => {
    const method = operation.method.toLowerCase();
    const place = ['paths', operation.path, method, 'responses', String(status)];
    const documented = document.paths[operation.path]?.[method]?.responses[status];
    if (documented === undefined) return `status ${status}`;
    const path = documented.$ref === undefined ? place : documented.$ref.replace(/^#\//, '').split('/');
    const response = path.reduce((part, name) => (part as Record<string, unknown>)[name], document as unknown);
    const { headers: described = {}, content, 'x-error-codes': codes } = response as Described;
    const problem = problemOfHeaders(Object.keys(described), status, headers);
    if (problem !== null) return problem;
    if (content === undefined) return text === '' ? null : 'an undocumented body';
    const type = headers.get('content-type')?.replace(/\s*;.*/, '') ?? '';
    if (content[type] === undefined) return `content type ${type}`;
    if (type !== 'application/json') return null;
    const value = JSON.parse(text);
    if (codes !== undefined && !codes.includes(value.error?.code)) return `code ${value.error?.code}`;
    return validate([...path, 'content', type, 'schema'], value);
  };
}

function problemOfHeaders(
  described: readonly string[],
  status: number,
  headers: SeenResponse['headers'],
): string | null {
  const names = described.map((name) => name.toLowerCase());
  const unknown = NAMED_HEADERS.find((name) => headers.has(name) && !names.includes(name));
  if (unknown !== undefined) return `header ${unknown}`;
  if (!headers.has('x-request-id')) return 'no X-Request-Id';
  return status === 429 && !headers.has('retry-after') ? 'no Retry-After' : null;
}

/** Forbids undocumented fields in every object of the document that does not allow additional properties explicitly. */
function sealed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(sealed);
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).map(([name, value]) => [name, sealed(value)]);
  const isClosed = 'properties' in part && 'type' in part && !('additionalProperties' in part);
  return Object.fromEntries(isClosed ? [...entries, ['additionalProperties', false]] : entries);
}
