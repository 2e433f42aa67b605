// Generates the OpenAPI 3.1 document from the contract.

import { bodiesOf, type Content, type Parameter, parametersOf } from '@chauffeur/contract/messages';
import { type Access, describeRole, type Operation, tokenScopeOf } from '@chauffeur/contract/operation';
import { TAGS } from '@chauffeur/contract/tags';
import { cookieName } from '../../request/origins.ts';
import { type Components, Failure, RESPONSE_HEADERS, responsesOf } from './responses.ts';
import { createSchemaWriter, type SchemaWriter } from './schemas.ts';

const DESCRIPTION = `Ship builds of games, collect crash reports and events, and analyze them.

Every JSON response is in an envelope: \`{ "success": true, "data": … }\` or \`{ "success": false, "error": { "code", "message", "data"? }, "data"? }\`.
The code says what went wrong, and \`x-error-codes\` lists the codes of each response. Every GET can also be sent as HEAD.`;

const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  // Credentials are optional: they let the caller see more.
  public: [{}, { session: [] }, { accessToken: [], secretKey: [] }],
  account: [{ session: [] }],
  operator: [{ session: [] }],
  deploy_key: [{ accessToken: [], secretKey: [] }, { basicKey: [] }, { cliLogin: [] }],
};

/** Returns the document; `publicUrl` has no trailing slash. */
export function openApiOf(operations: readonly Operation[], publicUrl: string): object {
  const schemas = createSchemaWriter({ Failure });
  const responses: Components = new Map();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation, schemas, responses);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chauffeur',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${publicUrl}/api/v1`, description: 'This service' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components(),
      responses: Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: headerComponents(),
      securitySchemes: securitySchemes(publicUrl),
    },
  };
}

function describeOperation(operation: Operation, schemas: SchemaWriter, responses: Components): object {
  const bodies = bodiesOf(operation);
  const scope = tokenScopeOf(operation);
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(operation.role !== undefined && { description: describeRole(operation), 'x-role': operation.role }),
    ...(scope !== null && { 'x-token-scope': scope }),
    tags: [operation.id.split('.')[0]],
    security: securityOf(operation, scope),
    parameters: parametersOf(operation).map((parameter) => describeParameter(parameter, schemas)),
    ...(bodies.length > 0 && { requestBody: describeBodies(operation, bodies, schemas) }),
    responses: responsesOf(operation, schemas, responses),
  };
}

function securityOf({ access, crossOrigin }: Operation, scope: string | null): readonly object[] {
  if (crossOrigin) return [{}];
  return scope === null ? SECURITY[access] : [...SECURITY[access], { apiToken: [scope] }];
}

function describeParameter({ name, place, required, schema }: Parameter, schemas: SchemaWriter): object {
  const { $ref, description, ...inline } = schemas.write(schema) as { $ref?: string; description?: string };
  return { name, in: place, required, ...(description && { description }), schema: $ref ? { $ref } : inline };
}

function describeBodies(operation: Operation, bodies: readonly Content[], schemas: SchemaWriter): object {
  const content = bodies.map(({ contentType, schema }, index) => {
    const parts = partTypesOf(schema);
    const isForm = contentType === 'multipart/form-data' && Object.keys(parts).length > 0;
    return [
      contentType,
      {
        schema: schemas.write(schema),
        ...(isForm && { encoding: parts }),
        ...(index === 0 && operation.example?.body !== undefined && { example: operation.example.body }),
      },
    ];
  });
  return { required: isBodyRequired(bodies), content: Object.fromEntries(content) };
}

/** A JSON body with only optional fields may be omitted. */
function isBodyRequired([usual]: readonly Content[]): boolean {
  const { properties, required = [] } = (usual?.schema ?? {}) as { properties?: object; required?: string[] };
  return properties === undefined || required.length > 0;
}

type PartSchema = { contentMediaType?: string; items?: PartSchema };

/** The content types of a form's file parts. */
function partTypesOf(schema: object): Record<string, object> {
  const { properties = {} } = schema as { properties?: Record<string, PartSchema> };
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, part]) => {
      const contentType = part.contentMediaType ?? part.items?.contentMediaType;
      return contentType === undefined ? [] : [[name, { contentType }]];
    }),
  );
}

function headerComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).map(([key, { description, schema }]) => [key, { description, schema }]),
  );
}

function securitySchemes(publicUrl: string): Record<string, object> {
  return {
    accessToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Access-Token',
      description: 'Access token of a deploy key, sent together with X-Secret-Key',
    },
    secretKey: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Secret-Key',
      description: 'Secret key of the same deploy key',
    },
    basicKey: {
      type: 'http',
      scheme: 'basic',
      description: 'A deploy key: the access token as user name and the secret key as password',
    },
    cliLogin: {
      type: 'http',
      scheme: 'bearer',
      description: 'The key of a login of the chauffeur command. X-App-Id names the game, unless there is only one.',
    },
    apiToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API token of a person. It needs the scope in x-token-scope; write access to a part includes read access. Where a deploy key would name the game, X-App-Id does.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName(publicUrl, 'session_token'),
      description: 'Set by POST /api/auth/sign-in/email with { "email", "password" }',
    },
  };
}
