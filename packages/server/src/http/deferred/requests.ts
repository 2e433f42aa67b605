// The form of deferred requests in the blob store: of each a line of JSON, and its body as it was sent.
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHead } from '@chauffeur/sentry/dsn/credentials';

export const PREFIX = 'sentry-deferred/';

type Line = {
  readonly operation: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
  readonly project: string | undefined;
  readonly pathKey: string | undefined;
  /** The bytes of the body. Absent for one that ends where the blob ends. */
  readonly length?: number;
};

export type DeferredRequest = {
  readonly operation: string;
  readonly head: RequestHead & { readonly headers: IncomingHttpHeaders };
  /** A stream is of a body that ends where the blob ends, and has to be read before the next request. */
  readonly body: Buffer | AsyncIterable<Buffer>;
};

const KEPT_HEADERS = ['content-type', 'content-encoding', 'x-sentry-auth', 'authorization', 'user-agent'] as const;

/** The bytes of a request; without a body, only of its line. */
export function encodeRequest(
  operation: string,
  { headers, query, project, pathKey }: RequestHead & { readonly headers: IncomingHttpHeaders },
  body?: Buffer,
): Buffer {
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const line: Line = {
    operation,
    headers: Object.fromEntries(kept),
    query: query.toString(),
    project,
    pathKey,
    ...(body !== undefined && { length: body.length }),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), ...(body === undefined ? [] : [body])]);
}

/** Reads the requests of a blob in their order. Throws an Error if the blob isn't whole. */
export async function* readRequests(blob: AsyncIterator<Buffer>): AsyncGenerator<DeferredRequest, undefined> {
  const reader = new Reader(blob);
  for (;;) {
    const line = await reader.line();
    if (line === null) return;
    const { operation, headers, query, project, pathKey, length } = JSON.parse(line) as Line;
    const head = { headers, query: new URLSearchParams(query), project, pathKey };
    yield { operation, head, body: length === undefined ? reader.rest() : await reader.bytes(length) };
  }
}

const NEWLINE = 0x0a;

class Reader {
  readonly #blob: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(blob: AsyncIterator<Buffer>) {
    this.#blob = blob;
  }

  /** Null at the end. */
  async line(): Promise<string | null> {
    for (let searched = 0; ; ) {
      const end = this.#bytes.indexOf(NEWLINE, searched);
      if (end >= 0) return this.#take(end + 1).toString('utf8', 0, end);
      searched = this.#bytes.length;
      if (await this.#more()) continue;
      if (searched === 0) return null;
      throw new Error('A deferred request has no head');
    }
  }

  async bytes(length: number): Promise<Buffer> {
    while (this.#bytes.length < length)
      if (!(await this.#more())) throw new Error('The body of a deferred request is cut off');
    return this.#take(length);
  }

  async *rest(): AsyncGenerator<Buffer, undefined> {
    do yield this.#take(this.#bytes.length);
    while (await this.#more());
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#blob.next();
    if (done === true) return false;
    this.#bytes = this.#bytes.length === 0 ? value : Buffer.concat([this.#bytes, value]);
    return true;
  }
}
