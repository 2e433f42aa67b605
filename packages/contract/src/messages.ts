// The parameters, bodies and responses of an operation over HTTP. The API reference and the OpenAPI document are
// generated from them.
import Type, { type TSchema } from 'typebox';
import type { BodyKind, Operation } from './operation.ts';

const BODY_TYPES: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
};

const Bytes = Type.Unsafe<Blob>(Type.String({ format: 'binary' }));
/** A JSON file. */
const Document = Type.Object({}, { additionalProperties: true });

/** The content type and the schema of a body or a response. */
export type Content = { readonly contentType: string; readonly schema: TSchema };

/** The accepted bodies, the usual one first; empty if the operation takes none. */
export function bodiesOf({ body, bodyKind = 'json', otherBodies = {} }: Operation): Content[] {
  const schema = body ?? (bodyKind === 'bytes' ? Bytes : undefined);
  const usual = schema === undefined ? [] : [{ contentType: BODY_TYPES[bodyKind], schema }];
  return [...usual, ...Object.entries(otherBodies).map(([contentType, other]) => ({ contentType, schema: other }))];
}

export type Parameter = {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: TSchema;
};

/** In the path, the query and the headers, without the headers that carry credentials. */
export function parametersOf(operation: Operation): Parameter[] {
  return [
    ...fieldsOf(operation.params, 'path'),
    ...fieldsOf(operation.query, 'query'),
    ...fieldsOf(operation.headerQuery, 'query'),
    ...fieldsOf(operation.headers, 'header'),
    ...(operation.statuses.includes(304) ? fieldsOf(ConditionHeaders, 'header') : []),
    ...(operation.statuses.includes(206) ? fieldsOf(RangeHeaders, 'header') : []),
  ];
}

function fieldsOf(schema: TSchema | undefined, place: Parameter['place']): Parameter[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    place,
    required: required.includes(name),
    schema: field,
  }));
}

const ConditionHeaders = Type.Object({
  'If-None-Match': Type.Optional(Type.String({ description: 'ETag of your copy; returns 304 if it is still current' })),
});
const RangeHeaders = Type.Object({
  Range: Type.Optional(Type.String({ description: 'A single range of bytes, such as bytes=0-1023; returns 206' })),
  'If-Range': Type.Optional(
    Type.String({ description: 'ETag of your partial copy; returns the whole file if it has changed' }),
  ),
});

/** The response with a status, in each of its formats; there are none if it has no body. */
export type SuccessResponse = { readonly status: number; readonly contents: readonly SuccessContent[] };
type SuccessContent = Content & {
  /** Whether `schema` describes the `data` of an envelope. */
  readonly enveloped: boolean;
  /** Which clients get this format, if not all do. */
  readonly description?: string;
};

const WITHOUT_BODY = new Set([302, 304, 416]);

/** Every response without an error code, by ascending status. It includes 416, which has no body. */
export function successesOf(operation: Operation): SuccessResponse[] {
  const { statuses, plainAnswers = [] } = operation;
  const all = new Set([
    ...statuses,
    ...plainAnswers.map(({ status }) => status),
    ...(statuses.includes(206) ? [416] : []),
  ]);
  return [...all].sort((a, b) => a - b).map((status) => ({ status, contents: contentsOf(operation, status) }));
}

function contentsOf(operation: Operation, status: number): SuccessContent[] {
  if (WITHOUT_BODY.has(status)) return [];
  const { statuses, answerTypes = [], plainAnswers = [] } = operation;
  const schema = outputAt(operation, status);
  const plain = plainAnswers.filter((answer) => answer.status === status);
  return [
    ...(schema === undefined || !statuses.includes(status)
      ? []
      : [{ contentType: BODY_TYPES.json, schema, enveloped: true }]),
    ...answerTypes.map((contentType) => ({
      contentType,
      schema: contentType === BODY_TYPES.json ? Document : Bytes,
      enveloped: false,
    })),
    ...plain.map((answer) => ({ ...answer, enveloped: false })),
  ];
}

/** An output that is a union has one schema for each status, in the same order. */
function outputAt({ output, statuses }: Operation, status: number): TSchema | undefined {
  const { anyOf: forms } = (output ?? {}) as { anyOf?: TSchema[] };
  return forms === undefined ? output : forms[statuses.indexOf(status)];
}
