// A typed client of the operations: builds the request, reads the envelope, and turns failures into errors that tell
// apart what the server refused (ApiError) and what never reached it (NetworkError).
import type { Failure, Success } from './envelope.ts';
import { ApiError, isErrorCode } from './errors.ts';
import type { InputOf, Operation, OutputOf } from './operation.ts';
import { pathOf } from './operation.ts';

/** No answer: refused, reset, timed out, or not the JSON of this service. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

export type ClientOptions = {
  /** Base of the API, ending in `/api/v1`. */
  url: string;
  /** Base of the upload host, ending in `/api/v1`; `url` where absent. */
  uploadUrl?: string;
  /** Sent with every request: the deploy key, or a cookie. */
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
};

export type CallOptions = {
  headers?: Readonly<Record<string, string>>;
  /** The body of a multipart operation. */
  form?: BodyInit;
  signal?: AbortSignal;
};

export type Client = {
  /** Calls an operation; resolves to the `data` of its answer. Rejects with ApiError or NetworkError. */
  call<Op extends Operation>(operation: Op, input: InputOf<Op>, options?: CallOptions): Promise<OutputOf<Op>>;
};

export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch;
  return {
    async call(operation, input, callOptions = {}) {
      const request = requestOf(operation, input as Record<string, unknown>, options, callOptions);
      const response = await reach(() => send(request.url, request.init));
      return readAnswer(response) as never;
    },
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
  const init: RequestInit & { duplex?: 'half' } = { method: operation.method, headers, duplex: 'half' };
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

async function reach<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new NetworkError(reasonOf(cause), { cause });
  }
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  return inner instanceof Error && inner.message !== '' ? inner.message : 'the connection failed';
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await reach(() => response.text());
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = parseEnvelope(text);
  if (body?.success === true) return body.data;
  if (body !== null && isErrorCode(body.error?.code)) {
    const data = body.error.data ?? body.data;
    throw new ApiError(body.error.code, body.error.message, {
      status: response.status,
      ...(data !== undefined && { data }),
      ...(requestId !== undefined && { requestId }),
    });
  }
  if (response.status >= 500 || response.ok) {
    throw new NetworkError(`the server answered ${response.status} without the JSON of this service`);
  }
  throw new ApiError(codeOfStatus(response.status), `the server answered ${response.status}`, {
    status: response.status,
    ...(requestId !== undefined && { requestId }),
  });
}

/** For answers of a proxy in between, which know no codes. */
function codeOfStatus(status: number): 4040 | 4043 | 4290 | 4002 {
  if (status === 404) return 4040;
  if (status === 413) return 4043;
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
