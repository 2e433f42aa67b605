// Describes the operations as an OpenAPI 3.1 document, straight from the contract.
import { ERRORS, type ErrorCode, statusesOf } from '@chauffeur/contract/errors';
import { errorsOf, type Operation } from '@chauffeur/contract/operation';
import Type, { type TSchema } from 'typebox';

const DESCRIPTION =
  'Register and upload builds of games, follow their scans, move channels, and download what players may see. Every JSON answer stands in an envelope: `{ success: true, data }` or `{ success: false, error: { code, message, data? }, data? }`.';

const MEDIA_TYPES = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
};

const SECURITY: Record<Operation['access'], object[]> = {
  public: [{}],
  account: [{ session: [] }],
  operator: [{ session: [] }],
  deploy_key: [{ accessToken: [], secretKey: [] }, { basicKey: [] }],
};

/** The document; `publicUrl` has no slash at its end. */
export function openApiOf(operations: readonly Operation[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Chauffeur', version: '1', description: DESCRIPTION },
    servers: [{ url: `${publicUrl}/api/v1` }],
    paths,
    components: {
      schemas: { Failure },
      securitySchemes: {
        accessToken: { type: 'apiKey', in: 'header', name: 'X-Access-Token' },
        secretKey: { type: 'apiKey', in: 'header', name: 'X-Secret-Key' },
        basicKey: { type: 'http', scheme: 'basic', description: 'Access token as user, secret key as password' },
        session: { type: 'apiKey', in: 'cookie', name: 'chauffeur.session_token' },
      },
    },
  };
}

const Failure = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({
    code: Type.Integer(),
    message: Type.String(),
    data: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  data: Type.Optional(Type.Object({}, { additionalProperties: true })),
});

function describeOperation(operation: Operation): object {
  const kind = operation.bodyKind ?? 'json';
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.id.split('.')[0]],
    security: SECURITY[operation.access],
    parameters: [
      ...parametersOf(operation.params, 'path'),
      ...parametersOf(operation.query, 'query'),
      ...chunkHeaders(operation),
    ],
    ...(operation.body !== undefined && {
      requestBody: { required: true, content: { [MEDIA_TYPES[kind]]: { schema: operation.body } } },
    }),
    responses: { ...successes(operation), ...failures(operation) },
  };
}

function parametersOf(schema: TSchema | undefined, place: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema: property,
  }));
}

function chunkHeaders(operation: Operation): object[] {
  if (operation.id !== 'uploads.file') return [];
  const schema = Type.String();
  return [
    { name: 'X-Upload-Session-ID', in: 'header', required: false, schema, description: 'With a chunk: the session_id' },
    {
      name: 'Content-Range',
      in: 'header',
      required: false,
      schema,
      description: 'With a chunk: bytes <start>-<end>/<total_size>',
    },
  ];
}

function successes(operation: Operation): Record<string, object> {
  const content =
    operation.output === undefined ? undefined : { 'application/json': { schema: envelopeOf(operation.output) } };
  return Object.fromEntries(
    operation.statuses.map((status) => [status, { description: 'Success', ...(content && { content }) }]),
  );
}

function envelopeOf(output: TSchema): TSchema {
  return Type.Object({ success: Type.Literal(true), data: output });
}

function failures(operation: Operation): Record<string, object> {
  const byStatus = Map.groupBy(
    errorsOf(operation).flatMap((code) => statusesOf(code).map((status) => ({ code, status }))),
    ({ status }) => status,
  );
  const describe = (answers: readonly { code: ErrorCode }[]) =>
    answers.map(({ code }) => `${code}: ${ERRORS[code].meaning}`).join(' ');
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: describe(codes), content }]),
  );
}
