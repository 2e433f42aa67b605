// A typed client of the operations. It builds requests and reads the envelope of responses. A request that the server
// refused throws ApiError; one without a response of the server throws NetworkError.
import type { Failure, Success } from './envelope.ts';
import { ApiError, type ErrorCode, type ErrorData, isErrorCode } from './errors.ts';
import type { InputOf, Operation, OutputOf } from './operation.ts';
import { pathOf } from './operation.ts';

/** There was no response of this service: the connection failed or timed out, or the response was not its JSON. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/**
 * Whether the same request may succeed later: there was no response, a limit was reached, or the service is not ready.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && (error.status === 429 || error.status === 503));
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
};

export function createClient(options: ClientOptions): Client {
  const request = options.fetch ?? fetch;
  async function run(operation: Operation, input: Record<string, unknown>, call: CallOptions): Promise<unknown> {
    const { url, init } = requestOf(operation, input, options, call);
    try {
      return await readResponse(await request(url, init));
    } catch (cause) {
      call.signal?.throwIfAborted();
      if (cause instanceof ApiError || cause instanceof NetworkError) throw cause;
      throw new NetworkError(reasonOf(cause), { cause });
    }
  }
  return {
    call: (operation, input, call = {}) => run(operation, input as Record<string, unknown>, call) as never,
    send: (operation, form, call = {}) => run(operation, {}, { ...call, form }) as never,
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

async function readResponse(response: Response): Promise<unknown> {
  const { status } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const target = response.headers.get('location');
    throw new NetworkError(`the server redirects to ${target ?? 'another address'}; use that address instead`);
  }
  const body = parseEnvelope(await response.text());
  if (body?.success === true) return body.data;
  if (body === null && (response.ok || status >= 500)) {
    throw new NetworkError(`the server answered ${status} without the JSON of this service`);
  }
  throw errorOf(response, body);
}

function errorOf(response: Response, body: Failure | null): ApiError {
  const { status } = response;
  const requestId = response.headers.get('x-request-id');
  const data = dataOf(response, body);
  const registered = isErrorCode(body?.error?.code) ? body.error.code : null;
  const message = body?.error?.message ?? `the server answered ${status}`;
  // A newer server may use codes that are not in this registry, so the message keeps the number.
  const suffix = body?.error?.code === undefined || registered !== null ? '' : ` (code ${body.error.code})`;
  return new ApiError(registered ?? codeOfStatus(status), message + suffix, {
    status,
    ...(data !== undefined && { data }),
    ...(requestId !== null && { requestId }),
  });
}

/**
 * Includes `retry_after` from the header, because proxies send only that (RFC 9110, section 10.2.3, only in seconds).
 */
function dataOf(response: Response, body: Failure | null): ErrorData | undefined {
  const data = body?.error?.data ?? body?.data;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? { retry_after: seconds, ...data } : data;
}

/** For responses without one of our codes, such as those of a proxy. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 4031;
  if (status === 404) return 4040;
  if (status === 413) return 4043;
  if (status >= 500) return 5000;
  return status === 429 ? 4290 : 4002;
}

function parseEnvelope(text: string): Success<unknown> | Failure | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && 'success' in body ? (body as Success<unknown> | Failure) : null;
  } catch {
    return null;
  }
}
