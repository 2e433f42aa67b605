// Fetches the manifest of a file and the keys of the server.
import { UpdaterError } from './error.ts';
import { Retries, type RetryPolicy, TransientError } from './retries.ts';
import { MAX_MANIFEST_BYTES, parseKeys, untrusted } from './trust.ts';

export type SignedRequest = {
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly retries: RetryPolicy;
};

const MAX_KEYS_BYTES = 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** The manifest as it is sent, and its signature; null if the server has none for the file. */
export async function fetchManifest(
  url: string,
  request: SignedRequest,
): Promise<{ packed: Buffer; signature: string | null } | null> {
  const answer = await get(url, request, MAX_MANIFEST_BYTES);
  return answer === null ? null : { packed: answer.body, signature: answer.headers.get('x-chauffeur-signature') };
}

/** The difference of two manifests; null if the server has none. */
export async function fetchDifference(url: string, request: SignedRequest): Promise<Buffer | null> {
  return (await get(url, request, MAX_MANIFEST_BYTES))?.body ?? null;
}

/** The signature of a manifest, which is sent with any part of it. */
export async function fetchSignature(url: string, request: SignedRequest): Promise<string | null> {
  const headers = { ...request.headers, range: 'bytes=0-0' };
  const answer = await get(url, { ...request, headers }, MAX_MANIFEST_BYTES);
  return answer?.headers.get('x-chauffeur-signature') ?? null;
}

/** No keys if the server has none. */
export async function fetchKeys(url: string, request: SignedRequest): Promise<ReturnType<typeof parseKeys>> {
  // The keys are public, so no login is needed; a cached copy may be older than the newest key.
  const answer = await get(url, { ...request, headers: { 'cache-control': 'no-cache' } }, MAX_KEYS_BYTES);
  return answer === null ? [] : parseKeys(answer.body.toString());
}

type Answer = { readonly headers: Headers; readonly body: Buffer };

/** Null for 404. Retries after transient failures. */
async function get(url: string, request: SignedRequest, maxBytes: number): Promise<Answer | null> {
  const retries = new Retries(request.retries);
  for (;;) {
    try {
      return await getOnce(url, request, maxBytes);
    } catch (error) {
      try {
        await retries.waitAfter(error, request.signal);
      } catch (last) {
        if (!(last instanceof TransientError)) throw last;
        throw new UpdaterError('network', last.message, 'Check the network connection, then try again.', {
          cause: last,
        });
      }
    }
  }
}

async function getOnce(url: string, request: SignedRequest, maxBytes: number): Promise<Answer | null> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let response: Response;
  try {
    response = await request.fetch(url, { headers: request.headers, redirect: 'manual', signal });
  } catch (cause) {
    throw failed(cause);
  }
  const { status, headers } = response;
  const isSent = status === 200 || status === 206;
  if (!isSent) await response.body?.cancel();
  if (status === 404) return null;
  if (status === 429 || status >= 500) throw new TransientError(`The server answers with status ${status}.`);
  if (!isSent)
    throw new UpdaterError(
      'network',
      `The server refused to describe the version, with status ${status}.`,
      'Check the address of the game, and any proxy.',
    );
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) throw untrusted('The list of files of the update is too long.');
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof UpdaterError) throw cause;
    throw failed(cause);
  }
  return { headers, body: Buffer.concat(chunks) };
}

function failed(cause: unknown): TransientError {
  const inner = (cause as Error).cause;
  const reason = inner instanceof Error ? inner.message : (cause as Error).message;
  return new TransientError(`The connection failed: ${reason}`, { cause });
}
