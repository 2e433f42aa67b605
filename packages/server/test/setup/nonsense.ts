// Generates invalid requests that are similar enough to documented ones to pass the first checks.
import { gzipSync } from 'node:zlib';
import type { Access, Operation } from '@chauffeur/contract/operation';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { smallZip } from './uploads.ts';

export type Nonsense = {
  /** The id of the operation that receives the request. */
  operation: string;
  caller: 'anonymous' | 'game' | 'person' | 'both';
  method: string;
  path: string;
  headers: [name: string, value: string][];
  /** One character per byte; null without a body. */
  body: string | null;
  /** How the body is framed: by its length, in chunks, or by a length that is too short or too long. */
  framing: 'length' | 'chunked' | 'short' | 'long';
};

/** Valid texts by the names of fields and parameters, such as ids of existing objects. */
export type ValidTexts = ReadonlyMap<string, readonly string[]>;

function validText(validTexts: ValidTexts, name: string): fc.Arbitrary<string> {
  const anywhere = fc.constantFrom(...validTexts.values().toArray().flat());
  const here = validTexts.get(name);
  return here === undefined ? anywhere : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...here) }, anywhere);
}

const unicode = fc.string({ unit: 'binary', maxLength: 40 });
const nastyText = fc.oneof(
  unicode,
  fc.constantFrom(
    '',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '../..',
    "'; drop table games",
    '1e999',
    '-1',
    '__proto__',
    'null',
  ),
  fc.integer({ min: 250, max: 70_000 }).map((length) => 'x'.repeat(length)),
);
const nastyValue = fc.oneof(
  nastyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -0.5, 1e308, true, [], {}, [[]], { length: 7 }),
);

/** A value that matches the schema, or almost does. */
function nearly(schema: TSchema, validTexts: ValidTexts, name = ''): fc.Arbitrary<unknown> {
  const {
    type,
    properties,
    items,
    enum: words,
  } = schema as {
    type?: string;
    properties?: Record<string, TSchema>;
    items?: TSchema;
    enum?: unknown[];
  };
  const right = (): fc.Arbitrary<unknown> => {
    if (validTexts.has(name)) return validText(validTexts, name);
    if (words !== undefined) return fc.constantFrom(...words);
    if (properties !== undefined) return nearlyObject(properties, validTexts);
    if (items !== undefined) return fc.array(nearly(items, validTexts, name), { maxLength: 4 });
    if (type === 'integer' || type === 'number') return fc.integer({ min: -1, max: 200 });
    return validText(validTexts, name);
  };
  return fc.oneof({ weight: 12, arbitrary: right() }, { weight: 1, arbitrary: nastyValue });
}

/** An object that usually has most of the fields, and sometimes an unknown one. */
function nearlyObject(properties: Record<string, TSchema>, validTexts: ValidTexts): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fc.tuple(fc.nat(14), nearly(schema, validTexts, name)).map(([dice, value]) => (dice === 0 ? [] : [[name, value]])),
  );
  const strange = fc.tuple(nastyText, nastyValue).map((entry) => [entry]);
  const more = fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: strange });
  return fc
    .tuple(fc.tuple(...fields), more)
    .map(([entries, more]) => Object.fromEntries([...entries, more].flat() as [string, unknown][]));
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const utf8 = (text: string) => latin1(Buffer.from(text));
const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const zip = smallZip();

/** Usually the correct text, so that rarely several things are wrong at once. */
function mostly(right: string, odd: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 11, arbitrary: fc.constant(right) }, odd);
}

/** A multipart body with possible faults in its boundary, part headers, line endings or end. */
function nearlyForm({ file: _, ...fields }: { file?: unknown }): fc.Arbitrary<string> {
  const flood = fc
    .integer({ min: 40, max: 3000 })
    .map((count) => Array.from({ length: count }, (_, no) => `X-${no}: y`));
  const strangeType = fc.constantFrom('text/plain; charset=utf-7', 'multipart/mixed; boundary=C', 'nonsense', '');
  const strangeHeader = fc.oneof(
    fc.constantFrom('garbage', ':', '\t folded'),
    strangeType.map((type) => `Content-Type: ${type}`),
    flood.map((lines) => lines.join('\r\n')),
  );
  const shape = fc.record({
    disposition: mostly('form-data', fc.constantFrom('attachment', 'FORM-DATA', '')),
    fileName: mostly('game.zip', fc.oneof(fc.constantFrom('../a.zip', 'a"b.zip', '', "x'; y"), nastyText)),
    extra: mostly('', strangeHeader),
    partName: mostly('file', fc.constantFrom('File', 'files[]', '', '__proto__')),
    content: mostly(latin1(zip), fc.uint8Array({ maxLength: 300 }).map(latin1)),
    fileAt: fc.nat(8),
    boundary: mostly('B', fc.constantFrom('', 'C', 'B-')),
    lineEnd: mostly('\r\n', fc.constantFrom('\n', '\r', '\r\n\r\n')),
    keep: fc.oneof({ weight: 11, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
  });
  return shape.map((form) => {
    const { lineEnd } = form;
    const partOf = (head: string, content: string) =>
      `--${form.boundary}${lineEnd}${head}${lineEnd}${lineEnd}${content}${lineEnd}`;
    const parts = Object.entries(fields).map(([name, value]) =>
      partOf(`Content-Disposition: form-data; name="${utf8(name)}"`, utf8(asText(value))),
    );
    const head = `Content-Disposition: ${form.disposition}; name="${form.partName}"; filename="${utf8(form.fileName)}"`;
    parts.splice(form.fileAt, 0, partOf(form.extra === '' ? head : `${head}${lineEnd}${form.extra}`, form.content));
    const whole = `${parts.join('')}--${form.boundary}--${lineEnd}`;
    return whole.slice(0, Math.round(whole.length * form.keep));
  });
}

const CONTENT_TYPES = {
  json: 'application/json',
  multipart: 'multipart/form-data; boundary=B',
  urlencoded: 'application/x-www-form-urlencoded',
  bytes: 'application/octet-stream',
} as const;

type Body = { body: string | null; type: string | null };

function bodyFor(operation: Operation, validTexts: ValidTexts): fc.Arbitrary<Body> {
  const value = operation.body === undefined ? nastyValue : nearly(operation.body, validTexts);
  const object = value.map((body) => (typeof body === 'object' && body !== null ? body : { body }));
  const json = value.map((body) => utf8(JSON.stringify(body) ?? ''));
  const urlencoded = object.map((fields) =>
    Object.entries(fields)
      .map(([name, field]) => `${escape(utf8(name))}=${escape(utf8(asText(field)))}`)
      .join('&'),
  );
  const bytes = fc.uint8Array({ maxLength: 2000 }).map(latin1);
  const deep = fc.nat(50_000).map((depth) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  const kinds = { json, multipart: object.chain(nearlyForm), urlencoded, bytes };
  const right = operation.bodyKind ?? 'json';
  const typeOf = (kind: string) => fc.constant<string | null>(kind);
  const otherType = fc.oneof(fc.constantFrom(...Object.values(CONTENT_TYPES)), headerText, fc.constant(null));
  return fc.oneof(
    { weight: 10, arbitrary: fc.record({ body: kinds[right], type: typeOf(CONTENT_TYPES[right]) }) },
    { weight: 2, arbitrary: fc.record({ body: fc.oneof(bytes, deep), type: typeOf(CONTENT_TYPES[right]) }) },
    {
      weight: 1,
      arbitrary: fc.record({ body: json.map((text) => latin1(gzipSync(text))), type: typeOf(CONTENT_TYPES[right]) }),
    },
    { weight: 3, arbitrary: fc.record({ body: fc.oneof(...Object.values(kinds), bytes), type: otherType }) },
    { weight: 1, arbitrary: fc.constant({ body: null, type: null }) },
  );
}

/** Bytes that header values can have (RFC 9110, 5.5), and values that are longer than a server has to accept. */
const headerText = fc.oneof(
  { weight: 6, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => latin1(bytes.map(visible))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', ',', 'bytes 0-9/10', 'bytes=0-', '*', '"x"', 'gzip', 'Bearer x', 'a=b;;=;%'),
  },
  { weight: 1, arbitrary: fc.integer({ min: 4000, max: 20_000 }).map((length) => 'y'.repeat(length)) },
);

function visible(byte: number): number {
  return byte < 0x20 || byte === 0x7f ? 0x20 : byte;
}

const HEADER_NAMES = [
  'Content-Range',
  'Content-Range',
  'X-Upload-Session-ID',
  'X-Upload-Session-ID',
  'X-Access-Token',
  'X-Secret-Key',
  'Cookie',
  'Authorization',
  'Origin',
  'Range',
  'If-None-Match',
  'If-Range',
  'Content-Encoding',
  'Accept',
  'Sec-Fetch-Site',
  'X-Forwarded-For',
  'X-Request-Id',
  'Host',
];

function headersFor(validTexts: ValidTexts): fc.Arbitrary<[string, string][]> {
  const cookie = headerText.map((text) => `chauffeur.session_token=${text}`);
  const value = fc.oneof(headerText, validText(validTexts, 'header'), cookie);
  const header = fc.tuple(fc.constantFrom(...HEADER_NAMES), value);
  return fc.oneof({ weight: 3, arbitrary: fc.constant<[string, string][]>([]) }, fc.array(header, { maxLength: 5 }));
}

/** A segment of a path: not empty and without a slash, so that the path still matches the operation. */
function segment(validTexts: ValidTexts, name: string): fc.Arbitrary<string> {
  const odd = [
    '%00',
    '%',
    '%zz',
    '%ff',
    '%2e%2e%2f',
    '..',
    '%F0%9F%8E%AE',
    'a%2Fb',
    '%C0%80',
    ';',
    '*',
    'a'.repeat(300),
  ];
  const encoded = unicode.filter((text) => text !== '' && text.isWellFormed()).map(encodeURIComponent);
  return fc.oneof({ weight: 14, arbitrary: validText(validTexts, name) }, fc.constantFrom(...odd), encoded);
}

function pathFor(operation: Operation, validTexts: ValidTexts): fc.Arbitrary<string> {
  const pieces = operation.path.split('/').slice(1);
  const segments = pieces.map((piece) =>
    piece.startsWith('{') ? segment(validTexts, piece.slice(1, -1)) : fc.constant(piece),
  );
  const names = Object.keys((operation.query as { properties?: object } | undefined)?.properties ?? { page: 0 });
  const pair = fc
    .constantFrom(...names, ...names, 'x', '__proto__', '')
    .chain((name) => segment(validTexts, name).map((value) => `${name}=${value}`));
  const some = fc.array(pair, { maxLength: 4 }).map((all) => `?${all.join('&')}`);
  const query = operation.errors.includes('missingIds')
    ? fc.oneof({ weight: 4, arbitrary: validText(validTexts, 'sender').map((ids) => `?${ids}`) }, some)
    : fc.oneof({ weight: 2, arbitrary: fc.constant('') }, some);
  return fc.tuple(fc.tuple(...segments), query).map(([path, search]) => `/api/v1/${path.join('/')}${search}`);
}

const CALLERS: Readonly<Record<Access, Nonsense['caller']>> = {
  public: 'anonymous',
  account: 'person',
  deploy_key: 'game',
  operator: 'person',
};

/** Invalid requests for any of the operations, mostly from a caller with access. */
export function nonsenseFor(operations: readonly Operation[], validTexts: ValidTexts): fc.Arbitrary<Nonsense> {
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({
        caller: fc.oneof(
          { weight: 6, arbitrary: fc.constant(CALLERS[operation.access]) },
          fc.constantFrom<Nonsense['caller']>('anonymous', 'game', 'person', 'both'),
        ),
        path: pathFor(operation, validTexts),
        headers: headersFor(validTexts),
        body: bodyFor(operation, validTexts),
        framing: fc.oneof(
          { weight: 6, arbitrary: fc.constant<Nonsense['framing']>('length') },
          fc.constantFrom<Nonsense['framing']>('chunked', 'short', 'long'),
        ),
      })
      .map(({ body: { body, type }, headers, ...rest }) => ({
        operation: operation.id,
        method: operation.method,
        ...rest,
        headers: [...headers, ...(type === null ? [] : [['Content-Type', type] as [string, string]])],
        body: operation.method === 'GET' ? null : body,
      })),
  );
}
