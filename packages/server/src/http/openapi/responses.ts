// The responses of an operation in the OpenAPI document: successes in each of their formats, and errors with their
// codes.
import { CODES, ERRORS, type ErrorCode, statusesOf } from '@chauffeur/contract/errors';
import { type SuccessResponse, successesOf } from '@chauffeur/contract/messages';
import { errorsOf, type Operation } from '@chauffeur/contract/operation';
import Type, { type TSchema } from 'typebox';
import type { SchemaWriter } from './schemas.ts';

const Text = Type.String();

/** Response headers, by their names among the document's components. */
export const RESPONSE_HEADERS = {
  RequestId: { name: 'X-Request-Id', description: 'Identifies the request in the logs of the service', schema: Text },
  RetryAfter: {
    name: 'Retry-After',
    description: 'Seconds to wait before the next attempt',
    schema: Type.Integer({ minimum: 0 }),
  },
  Challenge: {
    name: 'WWW-Authenticate',
    description: 'Asks for the deploy key as user name and password',
    schema: Text,
  },
  Location: { name: 'Location', description: 'A signed URL that is valid for a limited time', schema: Text },
  ETag: { name: 'ETag', description: 'Changes when the content changes', schema: Text },
  ContentRange: {
    name: 'Content-Range',
    description: 'The bytes that were sent, and the size of the whole file',
    schema: Text,
  },
  ContentDisposition: {
    name: 'Content-Disposition',
    description: 'The file name to save the content under',
    schema: Text,
  },
} as const;

type HeaderKey = keyof typeof RESPONSE_HEADERS;

/** The description of each status that no error code describes. */
const MEANINGS: Readonly<Record<number, string>> = {
  201: 'Created.',
  202: 'Accepted.',
  206: 'The requested range.',
  302: 'The file is at the URL in Location.',
  304: 'Your copy is current.',
  416: 'The range is outside of the file.',
};

/** Responses that operations share, by name. */
export type Components = Map<string, object>;

/** Returns the responses by status. Adds errors to `components` and refers to them. */
export function responsesOf(
  operation: Operation,
  schemas: SchemaWriter,
  components: Components,
): Record<string, object> {
  const successes = successesOf(operation).map((success) => [
    success.status,
    describeSuccess(operation, success, schemas),
  ]);
  return Object.fromEntries([...successes, ...failuresOf(operation, components)]);
}

function describeSuccess(operation: Operation, success: SuccessResponse, schemas: SchemaWriter): object {
  const { status, contents } = success;
  const variants = contents.flatMap(({ contentType, description }) =>
    description === undefined ? [] : [`${description} (${contentType}).`],
  );
  return {
    description: [MEANINGS[status] ?? 'Success.', ...variants].join(' '),
    headers: headersOf(successHeaders(operation, success)),
    ...(contents.length > 0 && { content: contentOf(operation, success, schemas) }),
  };
}

/** A content type may have several formats: in an envelope, and without one for certain clients. */
function contentOf(
  operation: Operation,
  { status, contents }: SuccessResponse,
  schemas: SchemaWriter,
): Record<string, object> {
  const { example, statuses } = operation;
  const byType = Map.groupBy(contents, ({ contentType }) => contentType);
  return Object.fromEntries(
    [...byType].map(([contentType, formats]) => {
      const written = formats.map(({ schema, enveloped }) => {
        const inner = schemas.write(schema);
        return enveloped ? envelopeOf(inner) : inner;
      });
      const isExemplary = example?.answer !== undefined && status === statuses[0] && formats[0]?.enveloped === true;
      return [
        contentType,
        {
          schema: written.length === 1 ? written[0] : { anyOf: written },
          ...(isExemplary && { example: { success: true, data: example.answer } }),
        },
      ];
    }),
  );
}

function envelopeOf(data: object): object {
  return {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { type: 'boolean', const: true }, data },
  };
}

function successHeaders({ statuses, answerTypes, named }: Operation, { status }: SuccessResponse): HeaderKey[] {
  const isOfFile = named || (answerTypes !== undefined && statuses.includes(206) && [200, 206, 416].includes(status));
  return [
    'RequestId',
    ...(status === 302 ? (['Location'] as const) : []),
    ...(statuses.includes(304) && [200, 206, 302, 304, 416].includes(status) ? (['ETag'] as const) : []),
    ...(status === 206 || status === 416 ? (['ContentRange'] as const) : []),
    ...(isOfFile ? (['ContentDisposition'] as const) : []),
  ];
}

/** Statuses for which the HTTP parser is more specific than the code. */
const PARSER_MEANINGS: Readonly<Record<number, string>> = {
  408: 'The headers of the request took too long.',
  431: 'The URL and headers of the request are too large.',
};

/** Most errors have the same status and codes in many operations; each combination becomes one component. */
function failuresOf(operation: Operation, components: Components): [number, object][] {
  const answers = errorsOf(operation).flatMap((code) => statusesOf(code).map((status) => ({ code, status })));
  const byStatus = Map.groupBy(answers, ({ status }) => status);
  return [...byStatus].map(([status, found]) => {
    const codes = found.map(({ code }) => code);
    const name = `Status${status}_${codes.join('_')}`;
    if (!components.has(name)) components.set(name, describeFailure(status, codes));
    return [status, { $ref: `#/components/responses/${name}` }];
  });
}

function describeFailure(status: number, codes: readonly ErrorCode[]): object {
  return {
    description: codes.map((code) => `${code}: ${PARSER_MEANINGS[status] ?? ERRORS[code].meaning}`).join(' '),
    headers: headersOf([
      'RequestId',
      ...(status === 429 || status === 503 ? (['RetryAfter'] as const) : []),
      ...(codes.includes(CODES.missingAccessToken) ? (['Challenge'] as const) : []),
    ]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
    'x-error-codes': codes,
  };
}

function headersOf(keys: readonly HeaderKey[]): Record<string, object> {
  return Object.fromEntries(keys.map((key) => [RESPONSE_HEADERS[key].name, { $ref: `#/components/headers/${key}` }]));
}

/** The envelope of every error. */
export const Failure: TSchema = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({
    code: Type.Integer({
      description: 'An error code of docs/errors.md; programs should use it instead of the message',
    }),
    message: Type.String({ description: 'The field, the problem and how to fix it' }),
    data: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'What a program can act on' })),
  }),
  data: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The same as error.data' })),
});
