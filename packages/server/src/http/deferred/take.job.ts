// Takes the requests that were deferred, in the order in which they came, several at a time.
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { CODES } from '@chauffeur/contract/errors';
import type { Context } from '../../context.ts';
import { bytesOfBuffer } from '../../kernel/blobs/byte-source.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { DAY, SECOND } from '../../kernel/clock.ts';
import { type Attempt, bindJob } from '../../kernel/jobs/jobs.ts';
import { newId, timeOfId } from '../../kernel/secrets/ids.ts';
import { asKnownError } from '../../request/failures.ts';
import { ENDPOINTS } from '../sentry-endpoints.ts';
import { isCrowded, isOverload } from './defer.ts';
import { type DeferredRequest, encodeRequest, PREFIX, readRequests } from './requests.ts';
import { takeDeferredKind } from './take-kind.ts';

/** Requests that can't be taken, although the database answers, are tried again until they are this old. */
const KEPT_MS = 7 * DAY;
/** Requests that are taken at the same time, whose rows are written together. */
const TOGETHER = 256;
/** While players' requests arrive faster than they are taken, that many deferred ones are taken in this time. */
const CROWDED_MS = SECOND;
const POLL_MS = 20;

type Signal = Pick<Attempt, 'signal'>;

export const takeDeferredJob = bindJob(takeDeferredKind, takeDeferred);

/** Safe to run twice. Ends with the error if requests still cannot be taken. */
export async function takeDeferred(ctx: Context, _payload: object, attempt: Signal): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of ctx.blobs.list(PREFIX)) keys.push(key);
  for (const key of keys.sort()) if (await takeBlob(ctx, key, attempt)) await ctx.blobs.delete(key);
}

/** Returns whether the blob is done with: its requests were taken, never will be, or are in another blob. */
async function takeBlob(ctx: Context, key: string, attempt: Signal): Promise<boolean> {
  const age = ctx.clock.now().getTime() - timeOfId(key.slice(PREFIX.length));
  try {
    const { taken, left } = await takeRequests(ctx, key, attempt);
    if (left.length === 0 || age > KEPT_MS) return true;
    if (taken === 0) return false;
    const again = Buffer.concat(left.map(({ operation, head, body }) => encodeRequest(operation, head, body)));
    await ctx.blobs.put(PREFIX + newId(timeOfId(key.slice(PREFIX.length))), bytesOfBuffer(again));
    return true;
  } catch (error) {
    if (attempt.signal.aborted || isTemporary(error)) throw error;
    // It is still being written, or was cut off.
    if (error instanceof BlobMissingError) return age > DAY;
    ctx.log.error({ err: error, key }, 'deferred requests were not taken');
    return age > KEPT_MS;
  }
}

type Left = DeferredRequest & { readonly body: Buffer };

async function takeRequests(
  ctx: Context,
  key: string,
  { signal }: Signal,
): Promise<{ readonly taken: number; readonly left: readonly Left[] }> {
  const blob = await ctx.blobs.read(key);
  const left: Left[] = [];
  let taken = 0;
  const takeAll = async (requests: readonly DeferredRequest[]) => {
    signal.throwIfAborted();
    await untilTurn(ctx, signal);
    const results = await Promise.allSettled(requests.map((request) => takeRequest(ctx, key, request)));
    for (const [no, result] of results.entries()) {
      if (result.status === 'rejected') throw result.reason;
      const { body } = requests[no]!;
      if (result.value) taken += 1;
      else if (body instanceof Buffer) left.push({ ...requests[no]!, body });
      else throw new Error('A large deferred request was not taken');
    }
  };
  try {
    let waiting: DeferredRequest[] = [];
    for await (const request of readRequests(blob.iterator({ destroyOnReturn: false }))) {
      waiting.push(request);
      if (waiting.length < TOGETHER && request.body instanceof Buffer) continue;
      await takeAll(waiting);
      waiting = [];
    }
    await takeAll(waiting);
  } finally {
    blob.destroy();
  }
  return { taken, left };
}

/** Requests of players go first. */
async function untilTurn(ctx: Context, signal: AbortSignal): Promise<void> {
  const end = performance.now() + CROWDED_MS;
  while (isCrowded(ctx) && performance.now() < end) await wait(POLL_MS, undefined, { signal });
}

/** Returns whether the request is done with: it was taken, or never will be. Throws an error of an outage. */
async function takeRequest(ctx: Context, key: string, request: DeferredRequest): Promise<boolean> {
  try {
    await replay(ctx, request);
    return true;
  } catch (error) {
    // The next ones may not need what there was too much of.
    if (isOverload(error)) return false;
    if (isTemporary(error)) throw error;
    const known = asKnownError(error);
    // Its game was deleted, or is past a limit; its key was revoked; or it is malformed.
    if (known !== null && known.status < 500) return true;
    ctx.log.error({ err: error, key }, 'a deferred request was not taken');
    return false;
  }
}

function isTemporary(error: unknown): boolean {
  return asKnownError(error)?.code === CODES.unavailable;
}

async function replay(ctx: Context, { operation, head, body }: DeferredRequest): Promise<void> {
  const endpoint = ENDPOINTS.find((candidate) => candidate.operation === operation);
  if (endpoint === undefined) throw new Error(`a deferred request is for ${operation}, which isn't there`);
  const { headers } = head;
  const stream = Readable.from(body instanceof Buffer ? [body] : body, { objectMode: false });
  const raw = Object.assign(stream, { headers, complete: true });
  try {
    const bytes = body instanceof Buffer ? { whole: bytesOfBuffer(body) } : {};
    await endpoint.receive(ctx, { raw, headers, ip: '', ...bytes }, head);
  } finally {
    raw.destroy();
  }
}
