// A typed client of the operations. It builds requests and reads the envelope of responses. A request that the server
// refused throws ApiError; one without a response of the server throws NetworkError.
import type { Failure, Success } from './envelope.ts';
import { ApiError, CODES, type ErrorCode, type ErrorData, isErrorCode } from './errors.ts';
import type { Explanation, ForeignAnswer } from './foreign-answer.ts';
import type { InputOf, Operation, OutputOf } from './operation.ts';
import { pathOf } from './operation.ts';

/** There was no response of this service: the connection failed or timed out, or the response was not its JSON. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** The host that was asked, with its port; empty if it is not known. */
  readonly host: string;

  constructor(message: string, { host = '', ...options }: ErrorOptions & { host?: string } = {}) {
    super(message, options);
    this.host = host;
  }
}

/** Another program answered instead of this service, such as a proxy. */
export class ForeignAnswerError extends NetworkError {
  readonly status: number;
  readonly remedy: string;
  /** Seconds; undefined if the answer does not say. */
  readonly retryAfter: number | undefined;

  constructor({ message, remedy }: Explanation, status: number, retryAfter?: number) {
    super(message);
    this.status = status;
    this.remedy = remedy;
    this.retryAfter = retryAfter;
  }
}

/** Certificates that are not trusted, and TLS that the server does not speak. */
const TLS_FAILURE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|ERR_TLS_CERT_|ERR_SSL_WRONG)/;
const TRANSIENT_STATUSES = [408, 425, 429];

/**
 * Whether the same request may succeed later: there was no response, a limit was reached, or the service is not ready.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ForeignAnswerError) return error.status >= 500 || TRANSIENT_STATUSES.includes(error.status);
  if (error instanceof NetworkError) return !TLS_FAILURE.test(failureCodeOf(error)) && !isRefusedByProxy(error);
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** Whether a proxy refuses to connect to the host. Node says so only in a message. */
function isRefusedByProxy(error: unknown): boolean {
  return error instanceof Error && (/Proxy response \(4\d\d\)/.test(error.message) || isRefusedByProxy(error.cause));
}

type Cause = { code?: unknown; message?: unknown; cause?: unknown };

/** The code of the failed connection, such as `ECONNREFUSED`; empty if there is none. */
export function failureCodeOf(error: unknown): string {
  for (let cause = error as Cause | undefined; typeof cause === 'object'; cause = cause?.cause as Cause | undefined) {
    if (typeof cause?.code === 'string' && cause.code !== '') return cause.code;
  }
  return '';
}

const NO_ANSWER = { server: null, location: null, body: '' };

/** Fetch hides the answer 407 of a proxy (Fetch Standard, 4.5). In Node, no other failure has an empty reason. */
function hidesProxyLogin(cause: unknown): boolean {
  const { cause: inner } = cause as Cause;
  return inner instanceof Error && inner.message === '' && inner.cause === undefined && failureCodeOf(inner) === '';
}

export type ClientOptions = {
  /** Base of the API, ending in `/api/v1`. */
  url: string;
  /** Base of the upload host, ending in `/api/v1`; defaults to `url`. */
  uploadUrl?: string;
  /** Sent with every request: the deploy key, or a cookie. */
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
};

type CallOptions = {
  headers?: Readonly<Record<string, string>>;
  /** The body of a multipart operation. */
  form?: BodyInit;
  signal?: AbortSignal;
};

export type Client = {
  /**
   * Calls an operation and resolves to the `data` of its response. Rejects with ApiError or NetworkError, or with the
   * reason of `signal` if it is aborted.
   */
  call<Op extends Operation>(operation: Op, input: InputOf<Op>, options?: CallOptions): Promise<OutputOf<Op>>;
  /** The same for a multipart operation without parameters: all of its fields are in `form`. */
  send<Op extends Operation>(operation: Op, form: BodyInit, options?: CallOptions): Promise<OutputOf<Op>>;
  /** The same for an operation whose response consists of bytes. They are in memory. */
  bytes<Op extends Operation>(operation: Op, input: InputOf<Op>, options?: CallOptions): Promise<Uint8Array>;
};

export function createClient(options: ClientOptions): Client {
  const request = options.fetch ?? fetch;
  async function run(
    operation: Operation,
    input: Record<string, unknown>,
    call: CallOptions,
    read: (response: Response) => Promise<unknown> = readResponse,
  ): Promise<unknown> {
    const { url, init } = requestOf(operation, input, options, call);
    try {
      return await read(await request(url, init));
    } catch (cause) {
      call.signal?.throwIfAborted();
      if (cause instanceof ApiError || cause instanceof NetworkError) throw cause;
      if (hidesProxyLogin(cause)) throw new ForeignAnswerError(await explain({ ...NO_ANSWER, status: 407 }), 407);
      throw new NetworkError(reasonOf(cause), { cause, host: URL.parse(url)?.host ?? '' });
    }
  }
  return {
    call: (operation, input, call = {}) => run(operation, input as Record<string, unknown>, call) as never,
    send: (operation, form, call = {}) => run(operation, {}, { ...call, form }) as never,
    bytes: (operation, input, call = {}) =>
      run(operation, input as Record<string, unknown>, call, readBytes) as Promise<Uint8Array>,
  };
}

function requestOf(operation: Operation, input: Record<string, unknown>, options: ClientOptions, call: CallOptions) {
  const base = operation.host === 'upload' ? (options.uploadUrl ?? options.url) : options.url;
  const names = (schema: unknown) => Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  const pick = (schema: unknown) =>
    names(schema).flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]] as const]));
  const params = Object.fromEntries(pick(operation.params).map(([name, value]) => [name, String(value)]));
  const query = new URLSearchParams(pick(operation.query).map(([name, value]) => [name, String(value)]));
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers, ...call.headers };
  // Redirects are not followed, because they would send the deploy key to another address.
  const init: RequestInit & { duplex?: 'half' } = {
    method: operation.method,
    headers,
    duplex: 'half',
    redirect: 'manual',
  };
  if (call.signal !== undefined) init.signal = call.signal;
  if (call.form !== undefined) {
    init.body = call.form;
  } else if (operation.bodyKind === 'urlencoded') {
    init.body = new URLSearchParams(pick(operation.body).map(([name, value]) => [name, String(value)]));
  } else if (operation.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(Object.fromEntries(pick(operation.body)));
  }
  const suffix = query.size === 0 ? '' : `?${query}`;
  return { url: `${base.replace(/\/+$/, '')}${pathOf(operation, params)}${suffix}`, init };
}

/** The message of the cause if there is one, because `fetch failed` alone does not help. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const { message = '', code = '' } = inner as { message?: string; code?: string };
  return message || code || 'the connection failed';
}

/** More of a body that is not JSON is not read: it can be endless. */
const MAX_FOREIGN_BYTES = 64 * 1024;

async function readBytes(response: Response): Promise<unknown> {
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : readResponse(response);
}

async function readResponse(response: Response): Promise<unknown> {
  const { status } = response;
  const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
  const type = response.headers.get('content-type');
  const isJson = type === null || /json/i.test(type);
  const text = isRedirect ? '' : isJson ? await response.text() : await readStart(response);
  const body = isRedirect ? null : parseEnvelope(text);
  if (body === null) throw await foreignAnswerOf(response, text);
  if (body.success) return body.data;
  throw errorOf(response, body);
}

/** The beginning of a body. */
export async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length >= MAX_FOREIGN_BYTES) break;
  }
  return text;
}

/** Loads the sentences only when they are needed: pages of the website start faster without them. */
async function explain(answer: ForeignAnswer): Promise<Explanation> {
  const { explainAnswer } = await import('./foreign-answer.ts');
  return explainAnswer(answer);
}

/** Explains a response that is not of this service. `body` is its beginning. */
export async function foreignAnswerOf(response: Response, body?: string): Promise<ForeignAnswerError> {
  const { status, headers } = response;
  const answer = { status, server: headers.get('server'), location: headers.get('location') };
  const explanation = await explain({ ...answer, body: body ?? (await readStart(response)) });
  return new ForeignAnswerError(explanation, status, readRetryAfter(headers));
}

function errorOf(response: Response, body: Failure): ApiError {
  const { status } = response;
  const requestId = response.headers.get('x-request-id');
  const data = dataOf(response, body);
  const { code, message } = body.error;
  // A newer server may use codes that are not in this registry, so the message keeps the number.
  const known = isErrorCode(code) ? code : null;
  return new ApiError(known ?? codeOfStatus(status), known === null ? `${message} (code ${code})` : message, {
    status,
    ...(data !== undefined && { data }),
    ...(requestId !== null && { requestId }),
  });
}

function dataOf(response: Response, body: Failure): ErrorData | undefined {
  const data = body.error.data ?? body.data;
  const seconds = readRetryAfter(response.headers);
  return seconds === undefined ? data : { retry_after: seconds, ...data };
}

/** Returns seconds; a date is ignored (RFC 9110, section 10.2.3). */
function readRetryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** Maps the status of a newer server's unknown code to a code. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return CODES.notAllowed;
  if (status === 404) return CODES.notFound;
  if (status === 413) return CODES.tooLarge;
  if (status >= 500) return CODES.unexpected;
  return status === 429 ? CODES.limitReached : CODES.invalid;
}

/** Null unless the text has the whole envelope: others use a field `success`, too. */
function parseEnvelope(text: string): Success<unknown> | Failure | null {
  try {
    const body = JSON.parse(text) as { success?: unknown; error?: { code?: unknown; message?: unknown } } | null;
    if (body?.success === true && 'data' in body) return body as Success<unknown>;
    const isFailure = typeof body?.error?.code === 'number' && typeof body.error.message === 'string';
    return isFailure && body?.success === false ? (body as Failure) : null;
  } catch {
    return null;
  }
}
