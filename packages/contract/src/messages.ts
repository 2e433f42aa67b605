// What an operation reads and answers over HTTP, part by part: the API reference and the OpenAPI document are written from this.
import Type, { type TSchema } from 'typebox';
import type { BodyKind, Operation } from './operation.ts';

const BODY_TYPES: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
};

const Bytes = Type.Unsafe<Blob>(Type.String({ format: 'binary' }));

/** A body or an answer: its content type and the schema of what is in it. */
export type Content = { readonly contentType: string; readonly schema: TSchema };

/** What the body may be, the usual form first; empty where there is none. */
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

/** Path, query and headers, but for the headers that carry credentials. */
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
  'If-None-Match': Type.Optional(
    Type.String({ description: 'ETag of the copy that you have: 304 while it is current' }),
  ),
});
const RangeHeaders = Type.Object({
  Range: Type.Optional(Type.String({ description: 'One range of bytes, such as bytes=0-1023, answered 206' })),
  'If-Range': Type.Optional(
    Type.String({ description: 'ETag of the part that you have; the whole file if it has changed' }),
  ),
});

/** The answer of one status, in the formats that it may have; none where it has no body. */
export type Success = { readonly status: number; readonly contents: readonly SuccessContent[] };
type SuccessContent = Content & {
  /** Whether `schema` is of the `data` in an envelope. */
  readonly enveloped: boolean;
  /** Which clients get this format, where not all do. */
  readonly description?: string;
};

const BODYLESS = new Set([302, 304]);

/** Every answer that is no failure with a code, by ascending status. A range that the file does not have is one: it has no body. */
export function successesOf(operation: Operation): Success[] {
  const { statuses, plainAnswers = [] } = operation;
  const all = new Set([
    ...statuses,
    ...plainAnswers.map(({ status }) => status),
    ...(statuses.includes(206) ? [UNSATISFIABLE] : []),
  ]);
  return [...all].sort((a, b) => a - b).map((status) => ({ status, contents: contentsOf(operation, status) }));
}

const UNSATISFIABLE = 416;

function contentsOf(operation: Operation, status: number): SuccessContent[] {
  if (BODYLESS.has(status) || status === UNSATISFIABLE) return [];
  const { statuses, answerTypes = [], plainAnswers = [] } = operation;
  const schema = outputAt(operation, status);
  const plain = plainAnswers.filter((answer) => answer.status === status);
  return [
    ...(schema === undefined || !statuses.includes(status)
      ? []
      : [{ contentType: BODY_TYPES.json, schema, enveloped: true }]),
    ...answerTypes.map((contentType) => ({ contentType, schema: Bytes, enveloped: false })),
    ...plain.map((answer) => ({ ...answer, enveloped: false })),
  ];
}

/** An output that is a union has one form for each status, in their order. */
function outputAt({ output, statuses }: Operation, status: number): TSchema | undefined {
  const { anyOf: forms } = (output ?? {}) as { anyOf?: TSchema[] };
  return forms === undefined ? output : forms[statuses.indexOf(status)];
}
