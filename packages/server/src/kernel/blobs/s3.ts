// Stores blobs as objects of an S3 bucket. A blob being written is a multipart upload and a tail (see s3-parts.ts).
import { buffer } from 'node:stream/consumers';
import type { Bucket } from './bucket.ts';
import { bytesOfBuffer, freeBuffer } from './byte-source.ts';
import { packSpace } from './packed.ts';
import {
  cutPieces,
  keyOfTail,
  MIN_PART_BYTES,
  nextSlot,
  PART_BYTES,
  type Piece,
  readS3State,
  type S3Part,
  type S3State,
  type S3Tail,
  tailName,
  tailNames,
} from './s3-parts.ts';
import {
  assertKey,
  type BlobInfo,
  BlobMissingError,
  type BlobStore,
  type BlobUpload,
  type ByteSource,
  type S3Settings,
} from './store.ts';

/** How long to wait for a part in transit whose bytes are not needed any more. */
const LAST_PART_MS = 30_000;

/**
 * Opens the store. The AWS SDK is loaded at the first request, so that a service with blobs on disk starts without it.
 */
export function openS3Store(settings: S3Settings, { lastPartMs = LAST_PART_MS } = {}): BlobStore {
  let opened: Promise<Bucket> | undefined;
  const open = (): Promise<Bucket> => {
    opened ??= import('./bucket.ts').then(({ Bucket }) => new Bucket(settings));
    return opened;
  };
  const openFor = async (key: string): Promise<Bucket> => {
    assertKey(key);
    return open();
  };

  async function put(key: string, source: ByteSource): Promise<number> {
    const bucket = await openFor(key);
    const upload = await append(bucket, { key, size: 0 }, source, lastPartMs);
    await complete(bucket, upload);
    return upload.size;
  }

  return {
    settings: { kind: 's3', ...settings },
    describe: () => ({ kind: 's3', location: `s3://${settings.bucket}/${settings.prefix ?? ''}` }),
    put,
    putPacked: (key, file, maxStored) => put(key, packSpace(file, maxStored)),
    async putWhole(key, bytes) {
      await put(key, bytesOfBuffer(bytes));
    },
    /** Sends nothing: a blob under 5 MiB never becomes a multipart upload. */
    async begin(key) {
      assertKey(key);
      return { key, size: 0 };
    },
    append: async (upload, source) => append(await openFor(upload.key), upload, source, lastPartMs),
    complete: async (upload) => complete(await openFor(upload.key), upload),
    async stat(key) {
      const bucket = await openFor(key);
      const size = await bucket.sizeOf(key);
      return size === null ? null : { size };
    },
    read: async (key, range) => (await openFor(key)).get(key, range),
    async readWhole(key, spaceFor) {
      let size = 0;
      for await (const bytes of (await (await openFor(key)).get(key)) as AsyncIterable<Buffer>) {
        spaceFor(size + bytes.length).set(bytes, size);
        size += bytes.length;
        freeBuffer(bytes);
      }
      return size;
    },
    localPath: async () => null,
    sign: async (key, options) => (await openFor(key)).sign(key, options),
    async delete(key) {
      const bucket = await openFor(key);
      await abortUploads(bucket, key);
      await Promise.all([key, ...tailNames(key)].map((name) => bucket.remove(name)));
    },
    async *list(prefix) {
      yield* list(await open(), prefix);
    },
    check: async () => (await open()).check(),
    close: async () => (await opened)?.close(),
  };
}

/** Two parts are in transit while the third fills, so at most three parts (48 MiB) are in memory. */
async function append(bucket: Bucket, upload: BlobUpload, source: ByteSource, lastPartMs: number): Promise<BlobUpload> {
  const { key } = upload;
  const before = readS3State(upload);
  const stop = new AbortController();
  const sending: Promise<S3Part>[] = [];
  let uploadId = before.uploadId;
  let tail: S3Tail | null = null;
  try {
    for await (const piece of cutPieces(behindTail(bucket, key, before.tail, source), PART_BYTES)) {
      if (piece.size < MIN_PART_BYTES) {
        tail = await putTail(bucket, key, nextSlot(before.tail), piece);
        continue; // Only the last piece can be so small.
      }
      uploadId ??= await bucket.createUpload(key);
      await sending.at(-2);
      const number = before.parts.length + sending.length + 1;
      sending.push(inBackground(bucket.uploadPart(key, uploadId, number, bytesOf(piece), stop.signal)));
    }
    const parts = [...before.parts, ...(await Promise.all(sending))];
    return toUpload(key, { uploadId, parts, tail });
  } catch (error) {
    await settle(sending, stop, lastPartMs);
    // No one refers to this upload yet. If it cannot be aborted now, `complete` and `delete` will do it.
    if (uploadId !== null && uploadId !== before.uploadId) {
      await Promise.allSettled([bucket.abortUpload(key, uploadId)]);
    }
    throw error;
  }
}

/**
 * Waits for parts in transit, because S3 does not discard a part whose request is aborted. It would replace a part of
 * the next attempt, or revive an aborted upload (Amazon S3 API, AbortMultipartUpload). Requests are aborted only after
 * `lastPartMs`.
 */
async function settle(sending: readonly Promise<S3Part>[], stop: AbortController, lastPartMs: number): Promise<void> {
  const late = setTimeout(() => stop.abort(), lastPartMs);
  await Promise.allSettled(sending);
  clearTimeout(late);
}

function toUpload(key: string, state: S3State): BlobUpload {
  const size = state.parts.reduce((sum, part) => sum + part.size, state.tail?.size ?? 0);
  return { key, size, parts: state };
}

/** Yields the bytes of the tail, then those of `source`. */
async function* behindTail(
  bucket: Bucket,
  key: string,
  tail: S3Tail | null,
  source: ByteSource,
): AsyncGenerator<Uint8Array> {
  if (tail !== null) yield* await bucket.get(tailName(key, tail.slot));
  yield* source;
}

async function putTail(bucket: Bucket, key: string, slot: 0 | 1, piece: Piece): Promise<S3Tail> {
  await bucket.put(tailName(key, slot), bytesOf(piece));
  return { slot, size: piece.size };
}

function bytesOf(piece: Piece): Buffer {
  return Buffer.concat(piece.buffers, piece.size);
}

/** Prevents a failure from counting as unhandled before the part is awaited. */
function inBackground(part: Promise<S3Part>): Promise<S3Part> {
  part.catch(() => undefined);
  return part;
}

async function complete(bucket: Bucket, upload: BlobUpload): Promise<void> {
  try {
    await assemble(bucket, upload.key, readS3State(upload));
  } catch (error) {
    // If an earlier `complete` succeeded but its response was lost, the object exists. Its parts are gone, and the state
    // may be that of before the last append.
    const gone = error instanceof BlobMissingError;
    if (!gone || (await bucket.sizeOf(upload.key)) !== upload.size) throw error;
  }
  await Promise.all(tailNames(upload.key).map((name) => bucket.remove(name)));
  // An append that ended with its process may have left an upload that no state refers to.
  const { uploadId } = (upload.parts ?? { uploadId: null }) as Pick<S3State, 'uploadId'>;
  if (uploadId !== null) await abortUploads(bucket, upload.key);
}

/** Makes the object from its parts and its tail. */
async function assemble(bucket: Bucket, key: string, state: S3State): Promise<void> {
  const tail = state.tail === null ? null : await buffer(await bucket.get(tailName(key, state.tail.slot)));
  if (state.uploadId === null) return bucket.put(key, tail ?? Buffer.alloc(0));
  const parts = [...state.parts];
  if (tail !== null) parts.push(await bucket.uploadPart(key, state.uploadId, parts.length + 1, tail));
  await bucket.completeUpload(key, state.uploadId, parts);
}

async function abortUploads(bucket: Bucket, key: string): Promise<void> {
  // A prefix also matches the uploads of longer keys.
  for await (const upload of bucket.listUploads(key)) {
    if (upload.key === key) await bucket.abortUpload(key, upload.uploadId);
  }
}

/** Remembers the keys of blobs being written, which are few, but not those of complete ones. */
async function* list(bucket: Bucket, prefix: string): AsyncGenerator<BlobInfo> {
  const begun = new Map<string, Date>();
  for await (const { key, begunAt } of bucket.listUploads(prefix)) begun.set(key, begunAt);
  for await (const object of bucket.listObjects(prefix)) {
    const key = keyOfTail(object.key);
    if (key === null) yield object;
    else if (key.startsWith(prefix)) begun.set(key, object.modifiedAt);
  }
  for (const [key, modifiedAt] of begun) {
    if ((await bucket.sizeOf(key)) === null) yield { key, modifiedAt };
  }
}
