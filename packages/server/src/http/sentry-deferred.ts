// Defers requests of Sentry's SDKs while they cannot be taken, because the database doesn't answer or is overloaded: SDKs
// send nothing again, so a refused report would be lost. A deferred request is kept in the blob store as it arrived, and
// a job takes it later like a new one. It may have been written in spite of the error; the ids of events and sessions
// keep it from counting twice.
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { CODES, isError } from '@chauffeur/contract/errors';
import { type RequestHead, readCredentials } from '@chauffeur/sentry/dsn/credentials';
import { SentryError } from '@chauffeur/sentry/error';
import type { Context } from '../context.ts';
import { MAX_FORM_BYTES } from '../crash/crashes/receive/form.ts';
import { wasKnown } from '../crash/sentry/dsns/find-dsn.ts';
import type { Received } from '../crash/sentry/receive/envelope.ts';
import type { SentryRequest } from '../crash/sentry/receive/sender.ts';
import { bytesOfBuffer } from '../kernel/blobs/byte-source.ts';
import { BlobMissingError, type ByteSource } from '../kernel/blobs/store.ts';
import { DAY, SECOND } from '../kernel/clock.ts';
import { type Attempt, addJob, bindJob, defineJob } from '../kernel/jobs/jobs.ts';
import { newId, timeOfId } from '../kernel/secrets/ids.ts';
import { receiveBody } from '../request/body.ts';
import { asKnownError } from '../request/failures.ts';
import { perContext } from '../request/per-context.ts';
import { BodyCopy, type CopySpace } from './body-copy.ts';
import { DeferredSpace } from './deferred-space.ts';
import { ENDPOINTS, type Endpoint } from './sentry-endpoints.ts';

const PREFIX = 'sentry-deferred/';

/** While an outage lasts, one request in this time finds out whether it is over. */
const PROBE_MS = SECOND;
/** Requests that fail for another reason are tried again until they are this old. */
const KEPT_MS = 7 * DAY;

/** The first line of a deferred request, as JSON. The body follows, as it was sent. */
type DeferredHead = {
  readonly operation: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: string;
  readonly project: string | undefined;
  readonly pathKey: string | undefined;
};

type Outage = {
  failedAt: number | null;
  readonly space: DeferredSpace;
  /** Requests that were deferred since the job was last enqueued, which is at `enqueuedAt`. */
  waiting: number;
  enqueuedAt: number;
};

const outages = perContext(
  ({ blobs, clock }): Outage => ({
    failedAt: null,
    space: new DeferredSpace(() => blobs.list(PREFIX), clock),
    waiting: 0,
    enqueuedAt: Number.NEGATIVE_INFINITY,
  }),
);
const spaces = perContext((): CopySpace => ({ left: 64 * 1024 ** 2 }));

/** Takes a request, or defers it and returns null. Throws what taking it throws, if it can't be deferred. */
export async function takeOrDefer(
  ctx: Context,
  { operation, receive }: Endpoint,
  request: SentryRequest,
  head: RequestHead,
): Promise<Received | null> {
  const outage = outages(ctx);
  const { failedAt } = outage;
  const age = ctx.clock.now().getTime() - (failedAt ?? Number.NEGATIVE_INFINITY);
  if (age >= 0 && age < PROBE_MS && (await mayDefer(ctx, outage, head))) {
    await deferBody(ctx, outage, { operation, request, head });
    return null;
  }
  const copy = new BodyCopy(request.raw, spaces(ctx));
  try {
    const received = await receive(ctx, request, head);
    endOutage(ctx, outage);
    return received;
  } catch (error) {
    if (!isTemporary(error)) throw error;
    if (!isOverload(error)) outage.failedAt = ctx.clock.now().getTime();
    const bytes = (await mayDefer(ctx, outage, head)) ? await copy.whole(ctx.config.uploadIdleSeconds * SECOND) : null;
    if (bytes === null || !(await defer(ctx, outage, { operation, request, head }, bytesOfBuffer(bytes)))) throw error;
    return null;
  } finally {
    copy.drop();
  }
}

function isTemporary(error: unknown): boolean {
  return asKnownError(error)?.code === CODES.unavailable;
}

/** One game can fill a queue, which is not an outage: requests that don't need it are taken. */
function isOverload(error: unknown): boolean {
  return isError(error, 'unavailable') && error.cause === undefined;
}

/** Only requests with a key that was valid when the database last answered. */
async function mayDefer(ctx: Context, { space }: Outage, head: RequestHead): Promise<boolean> {
  const key = keyOf(head);
  return key !== null && wasKnown(ctx, key) && (await space.hasRoomFor(key.key));
}

/** Null without one, as of a tunnel, whose envelopes have it. */
function keyOf(head: RequestHead): { readonly key: string; readonly projectNo: number } | null {
  try {
    const { key, project } = readCredentials(head);
    return { key: key.toLowerCase(), projectNo: Number(project) };
  } catch (error) {
    if (error instanceof SentryError) return null;
    throw error;
  }
}

type Sent = { readonly operation: string; readonly request: SentryRequest; readonly head: RequestHead };

async function deferBody(ctx: Context, outage: Outage, sent: Sent): Promise<void> {
  const idleMs = ctx.config.uploadIdleSeconds * SECOND;
  await receiveBody(sent.request.raw, { encoding: 'raw', maxBytes: MAX_FORM_BYTES, idleMs }, async (body) => {
    await store(ctx, outage, sent, body);
  });
}

/** Returns false if the blob store doesn't work either. */
async function defer(ctx: Context, outage: Outage, sent: Sent, body: ByteSource): Promise<boolean> {
  try {
    await store(ctx, outage, sent, body);
    return true;
  } catch (err) {
    ctx.log.error({ err }, 'a request could not be deferred');
    return false;
  }
}

async function store(
  ctx: Context,
  outage: Outage,
  { operation, request: { headers }, head }: Sent,
  body: ByteSource,
): Promise<void> {
  const { key } = keyOf(head)!;
  const line: DeferredHead = {
    operation,
    headers: Object.fromEntries(
      KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
    query: head.query.toString(),
    project: head.project,
    pathKey: head.pathKey,
  };
  const blobKey = PREFIX + newId(ctx.clock.now().getTime());
  // Counted first, because many requests arrive at the same time.
  const place = outage.space.take(key, blobKey);
  try {
    await ctx.blobs.put(blobKey, joined(Buffer.from(`${JSON.stringify(line)}\n`), place.counted(body)));
    place.keep();
    outage.waiting += 1;
  } catch (error) {
    // Without the database, nothing is deleted: then the job does it later.
    await ctx.blobs.delete(blobKey).catch(() => undefined);
    place.give();
    throw error;
  }
}

const KEPT_HEADERS = ['content-type', 'content-encoding', 'x-sentry-auth', 'authorization', 'user-agent'] as const;

async function* joined(head: Uint8Array, body: ByteSource): AsyncGenerator<Uint8Array, undefined> {
  yield head;
  yield* body;
}

/** The first request that succeeds again has the deferred ones taken. */
function endOutage(ctx: Context, outage: Outage): void {
  outage.failedAt = null;
  const { waiting: requests, enqueuedAt } = outage;
  const now = ctx.clock.now().getTime();
  // While some requests are deferred and others taken, the job need not be enqueued for each of them.
  if (requests === 0 || Math.abs(now - enqueuedAt) < PROBE_MS) return;
  Object.assign(outage, { waiting: 0, enqueuedAt: now });
  ctx.log.info({ requests }, 'requests were deferred during an outage');
  addJob(ctx.db, takeDeferredKind, {}, takeDeferredKind.task).catch((err: unknown) =>
    ctx.log.warn({ err }, 'deferred requests are taken later'),
  );
}

/** The schedule is for what a process left that ended before the outage did. */
const takeDeferredKind = defineJob<object>('sentry:take-deferred', {
  attempts: 10,
  cron: '17 * * * *',
  lane: 'long',
  queue: 'sentry:take-deferred',
  atStart: true,
});

export const takeDeferredJob = bindJob(takeDeferredKind, takeDeferred);

/** Safe to run twice. Ends with the error if requests still cannot be taken. */
export async function takeDeferred(ctx: Context, _payload: object, { signal }: Pick<Attempt, 'signal'>): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of ctx.blobs.list(PREFIX)) keys.push(key);
  for (const key of keys.sort()) {
    signal.throwIfAborted();
    if (await take(ctx, key)) await ctx.blobs.delete(key);
  }
}

/** Returns whether the request is done with: it was taken, or never will be. */
async function take(ctx: Context, key: string): Promise<boolean> {
  try {
    await replay(ctx, key);
    return true;
  } catch (error) {
    if (isTemporary(error)) throw error;
    const known = asKnownError(error);
    // Its game was deleted, its key revoked, or it is malformed.
    if (known !== null && known.status < 500 && known.code !== CODES.limitReached) return true;
    const age = ctx.clock.now().getTime() - timeOfId(key.slice(PREFIX.length));
    // It is still being written, or was cut off.
    if (error instanceof BlobMissingError) return age > DAY;
    ctx.log.error({ err: error, key }, 'a deferred request was not taken');
    return age > KEPT_MS;
  }
}

async function replay(ctx: Context, key: string): Promise<void> {
  const stream = await ctx.blobs.read(key);
  const pieces = stream.iterator({ destroyOnReturn: false });
  const { line, rest } = await readLine(pieces);
  const { operation, headers, query, project, pathKey } = JSON.parse(line) as DeferredHead;
  const body = Readable.from(joined(rest, { [Symbol.asyncIterator]: () => pieces }), { objectMode: false });
  const request = { raw: Object.assign(body, { headers, complete: true }), headers, ip: '' };
  const endpoint = ENDPOINTS.find((candidate) => candidate.operation === operation);
  if (endpoint === undefined) throw new Error(`a deferred request is for ${operation}, which isn't there`);
  try {
    await endpoint.receive(ctx, request, { headers, query: new URLSearchParams(query), project, pathKey });
  } finally {
    body.destroy();
    stream.destroy();
  }
}

async function readLine(pieces: AsyncIterator<Buffer>): Promise<{ line: string; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) throw new Error('A deferred request has no head');
    bytes = Buffer.concat([bytes, value]);
    const end = bytes.indexOf(0x0a);
    if (end >= 0) return { line: bytes.subarray(0, end).toString(), rest: bytes.subarray(end + 1) };
  }
}
