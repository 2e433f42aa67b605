// Defers requests of Sentry's SDKs that cannot be taken now, because the database doesn't answer, or because more arrive
// than can be taken: SDKs send nothing again, so a refused report would be lost. A deferred request is kept in the blob
// store as it arrived, and a job takes it later like a new one. It may have been written in spite of the error; the ids
// of events and sessions keep it from counting twice.
import type { IncomingHttpHeaders } from 'node:http';
import { CODES, isError } from '@chauffeur/contract/errors';
import { KIB, MIB } from '@chauffeur/contract/limits';
import { type RequestHead, readCredentials } from '@chauffeur/sentry/dsn/credentials';
import { SentryError } from '@chauffeur/sentry/error';
import type { Context } from '../../context.ts';
import { MAX_FORM_BYTES } from '../../crash/crashes/receive/form.ts';
import { wasKnown } from '../../crash/sentry/dsns/find-dsn.ts';
import type { Received } from '../../crash/sentry/receive/envelope.ts';
import type { SentryRequest } from '../../crash/sentry/receive/sender.ts';
import { bytesOfBuffer } from '../../kernel/blobs/byte-source.ts';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { SECOND } from '../../kernel/clock.ts';
import { createRecent, type Recent } from '../../kernel/collections/cache.ts';
import { groupCommit } from '../../kernel/database/group-commit.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { type BodySource, receiveBody } from '../../request/body.ts';
import { asKnownError } from '../../request/failures.ts';
import { perContext } from '../../request/per-context.ts';
import type { Endpoint } from '../sentry-endpoints.ts';
import { BodyCopy, type CopySpace } from './body-copy.ts';
import { Crowds } from './crowds.ts';
import { encodeRequest, PREFIX } from './requests.ts';
import { DeferredSpace } from './space.ts';
import { takeDeferredKind } from './take-kind.ts';

/** While an outage lasts, one request in this time finds out whether it is over. */
const PROBE_MS = SECOND;
/** While requests of a key are refused because of a limit, others are not deferred instead. */
const REFUSED_MS = SECOND;
const MAX_REFUSED = 10_000;
/** How long requests are collected until the job that takes them is enqueued. */
const ENQUEUE_MS = SECOND;
/** Requests with a smaller body are read before it is decided whether they are deferred, and are deferred together. */
const SMALL_BYTES = 64 * KIB;

type Deferral = {
  /** When the database last failed; null once it has answered again. */
  failedAt: number | null;
  readonly space: DeferredSpace;
  readonly crowds: Crowds;
  /** When a request of a key was last past a limit. */
  readonly refusedAt: Recent<string, number>;
  /** Writes a request with others of the same key to one blob. */
  readonly writeSmall: (request: Deferred, key: string) => Promise<null>;
  /** Set while a job is about to be enqueued. */
  timer: NodeJS.Timeout | null;
  /** Whether requests were deferred since the job was last enqueued. */
  isWaiting: boolean;
};

type Deferred = { readonly key: string; readonly bytes: Buffer };

const deferrals = perContext((ctx): Deferral => {
  const { blobs, clock } = ctx;
  const space = new DeferredSpace(() => blobs.list(PREFIX), clock);
  const writeSmall = groupCommit<Deferred, null>({
    write: async (requests) => {
      const bytes = Buffer.concat(requests.map((request) => request.bytes));
      await store(ctx, space, requests[0]!.key, bytesOfBuffer(bytes));
      return requests.map(() => null);
    },
    ...{ maxBatch: 4 * MIB, writers: 4, writersPerKey: 2, maxWaiting: 32 * MIB },
    weigh: ({ bytes }) => bytes.length,
    isItemError: () => false,
  });
  return {
    ...{ failedAt: null, space, crowds: new Crowds(), refusedAt: createRecent<string, number>(MAX_REFUSED) },
    ...{ writeSmall, timer: null, isWaiting: false },
  };
});
const spaces = perContext((): CopySpace => ({ left: 64 * MIB }));

/** Whether requests arrive faster than this process can take them. */
export function isCrowded(ctx: Context): boolean {
  return deferrals(ctx).crowds.isAnyCrowded;
}

/** Takes a request, or defers it and returns null. Throws what taking it throws, if it can't be deferred. */
export async function takeOrDefer(
  ctx: Context,
  endpoint: Endpoint,
  request: SentryRequest,
  head: RequestHead,
): Promise<Received | null> {
  const key = keyOf(head);
  const sent: Sent = { endpoint, request, head, key };
  if (key !== null && endpoint.takesWhole === true && isSmall(request) && wasKnown(ctx, key))
    return await takeSmall(ctx, sent, key.key);
  const deferral = deferrals(ctx);
  if (isAway(ctx, deferral) && (await mayDefer(ctx, deferral, key))) {
    await deferStream(ctx, deferral, sent, key!.key);
    return null;
  }
  const copy = new BodyCopy(request.raw, spaces(ctx));
  try {
    return await take(ctx, deferral, sent, () => copy.whole(ctx.config.uploadIdleSeconds * SECOND));
  } finally {
    copy.drop();
  }
}

type Key = { readonly key: string; readonly projectNo: number };

type Sent = {
  readonly endpoint: Endpoint;
  readonly request: SentryRequest;
  readonly head: RequestHead;
  /** Null without one, as of a tunnel, whose envelopes have it. */
  readonly key: Key | null;
};

function keyOf(head: RequestHead): Key | null {
  try {
    const { key, project } = readCredentials(head);
    return { key: key.toLowerCase(), projectNo: Number(project) };
  } catch (error) {
    if (error instanceof SentryError) return null;
    throw error;
  }
}

function isSmall({ headers }: SentryRequest): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= SMALL_BYTES;
}

/** One request in a second tries the database during an outage. */
function isAway(ctx: Context, { failedAt }: Deferral): boolean {
  const age = ctx.clock.now().getTime() - (failedAt ?? Number.NEGATIVE_INFINITY);
  return age >= 0 && age < PROBE_MS;
}

async function takeSmall(ctx: Context, sent: Sent, key: string): Promise<Received | null> {
  const { bytes, failure } = await readSmall(ctx, sent.request.raw);
  const deferral = deferrals(ctx);
  const whole = failure === null ? bytes : null;
  const isDeferred = isAway(ctx, deferral) || isTooMuch(ctx, deferral, key);
  if (whole !== null && isDeferred && (await defer(ctx, deferral, sent, whole))) return null;
  const { raw, headers, ip } = sent.request;
  const request = { raw, headers, ip, whole: bodyOf(bytes, failure) };
  return await deferral.crowds.count(key, () => take(ctx, deferral, { ...sent, request }, async () => whole));
}

/** Whether more arrives with this key than can be taken. */
function isTooMuch(ctx: Context, { crowds, refusedAt }: Deferral, key: string): boolean {
  if (!crowds.isCrowded(key)) return false;
  const age = ctx.clock.now().getTime() - (refusedAt.get(key) ?? Number.NEGATIVE_INFINITY);
  return age < 0 || age >= REFUSED_MS;
}

/** `failure` is what ended the body too early. */
async function readSmall(ctx: Context, raw: BodySource): Promise<{ bytes: Buffer; failure: unknown }> {
  const pieces: Uint8Array[] = [];
  let failure: unknown = null;
  const options = { encoding: 'raw', maxBytes: SMALL_BYTES, idleMs: ctx.config.uploadIdleSeconds * SECOND } as const;
  await receiveBody(raw, options, async (body) => {
    for await (const bytes of body) pieces.push(bytes);
  }).catch((error: unknown) => {
    failure = error;
  });
  return { bytes: pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces), failure };
}

async function* bodyOf(bytes: Buffer, failure: unknown): AsyncGenerator<Uint8Array, undefined> {
  if (bytes.length > 0) yield bytes;
  if (failure !== null) throw failure;
}

/** `whole` returns the body as it was sent; null if it can't be deferred. */
async function take(
  ctx: Context,
  deferral: Deferral,
  sent: Sent,
  whole: () => Promise<Buffer | null>,
): Promise<Received | null> {
  try {
    const received = await sent.endpoint.receive(ctx, sent.request, sent.head);
    deferral.failedAt = null;
    if (deferral.isWaiting) enqueue(ctx, deferral);
    return received;
  } catch (error) {
    const now = ctx.clock.now().getTime();
    const code = asKnownError(error)?.code;
    if (code === CODES.limitReached && sent.key !== null) deferral.refusedAt.set(sent.key.key, now);
    if (code !== CODES.unavailable) throw error;
    if (!isOverload(error)) deferral.failedAt = now;
    const bytes = (await mayDefer(ctx, deferral, sent.key)) ? await whole() : null;
    if (bytes === null || !(await defer(ctx, deferral, sent, bytes))) throw error;
    return null;
  }
}

/** One game can fill a queue, which is not an outage: requests that don't need it are taken. */
export function isOverload(error: unknown): boolean {
  return isError(error, 'unavailable') && error.cause === undefined;
}

/** Only requests with a key that was valid when the database last answered. */
async function mayDefer(ctx: Context, { space }: Deferral, key: Key | null): Promise<boolean> {
  return key !== null && wasKnown(ctx, key) && (await space.hasRoomFor(key.key));
}

/** Returns false if there is no room, or the blob store doesn't work either. */
async function defer(ctx: Context, deferral: Deferral, sent: Sent, body: Buffer): Promise<boolean> {
  const { key } = sent.key!;
  if (!(await deferral.space.hasRoomFor(key))) return false;
  try {
    await deferral.writeSmall({ key, bytes: encodeRequest(sent.endpoint.operation, headOf(sent), body) }, key);
    noteDeferred(ctx, deferral);
    return true;
  } catch (err) {
    ctx.log.error({ err }, 'a request could not be deferred');
    return false;
  }
}

/** A large request, which is not read into memory. */
async function deferStream(ctx: Context, deferral: Deferral, sent: Sent, key: string): Promise<void> {
  const idleMs = ctx.config.uploadIdleSeconds * SECOND;
  await receiveBody(sent.request.raw, { encoding: 'raw', maxBytes: MAX_FORM_BYTES, idleMs }, async (body) => {
    await store(ctx, deferral.space, key, joined(encodeRequest(sent.endpoint.operation, headOf(sent)), body));
  });
  noteDeferred(ctx, deferral);
}

function headOf({ head, request }: Sent): RequestHead & { readonly headers: IncomingHttpHeaders } {
  return { ...head, headers: request.headers };
}

async function store(ctx: Context, space: DeferredSpace, key: string, bytes: ByteSource): Promise<void> {
  const blobKey = PREFIX + newId(ctx.clock.now().getTime());
  // Counted first, because many requests arrive at the same time.
  const place = space.take(key, blobKey);
  try {
    await ctx.blobs.put(blobKey, place.counted(bytes));
    place.keep();
  } catch (error) {
    // Without the database, nothing is deleted: then the job does it later.
    await ctx.blobs.delete(blobKey).catch(() => undefined);
    place.give();
    throw error;
  }
}

async function* joined(head: Uint8Array, body: ByteSource): AsyncGenerator<Uint8Array, undefined> {
  yield head;
  yield* body;
}

/** During an outage, the first request that succeeds again has the job enqueued. */
function noteDeferred(ctx: Context, deferral: Deferral): void {
  deferral.isWaiting = true;
  if (!isAway(ctx, deferral)) enqueue(ctx, deferral);
}

/** The job is enqueued for what is deferred until then. If the process ends before, the schedule is enough. */
function enqueue(ctx: Context, deferral: Deferral): void {
  deferral.timer ??= setTimeout(() => {
    Object.assign(deferral, { timer: null, isWaiting: false });
    addJob(ctx.db, takeDeferredKind, {}, takeDeferredKind.task).catch((err: unknown) => {
      deferral.isWaiting = true;
      ctx.log.warn({ err }, 'deferred requests are taken later');
    });
  }, ENQUEUE_MS).unref();
}
