// The thread of `writeFiles` and `removeEvents`. It parses events as PostgreSQL copies them, encodes them, and uploads
// the files.
import { createHash } from 'node:crypto';
import { openBlobStore } from '../../../kernel/blobs/open.ts';
import type { BlobStore } from '../../../kernel/blobs/store.ts';
import { HOUR } from '../../../kernel/clock.ts';
import { serveTasks } from '../../../kernel/threads/thread-pool.ts';
import type { RemoveResult, RemoveTask, WriteTask, WrittenFile } from './event-files.ts';
import { eventFileKey, hourOf } from './file-key.ts';
import {
  DamagedFileError,
  EventFileWriter,
  type EventValues,
  hasEventsOf,
  RECEIVED_AT,
  readEventsWithout,
} from './parquet.ts';

/** An hour with more events has several files, so that none becomes too large to download or to write again. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

serveTasks<WriteTask | RemoveTask, WrittenFile[] | RemoveResult, 'more', Uint8Array | null>(async (task, ask) => {
  const blobs = openBlobStore(task.blobSettings);
  try {
    return 'write' in task
      ? await writeAll(blobs, task.write.gameId, () => ask('more'))
      : await remove(blobs, task.remove);
  } finally {
    await blobs.close();
  }
});

async function writeAll(
  blobs: BlobStore,
  gameId: string,
  next: () => Promise<Uint8Array | null>,
): Promise<WrittenFile[]> {
  const files: WrittenFile[] = [];
  const events = new EventQueue(parseEvents(chunksOf(next)));
  for (let first = await events.peek(); first !== undefined; first = await events.peek()) {
    const hour = hourOf(first[RECEIVED_AT] as number);
    const last = files.at(-1);
    const part = last?.hour === hour.getTime() ? last.part + 1 : 0;
    const key = eventFileKey(gameId, hour, part);
    const writer = new EventFileWriter();
    const stored = await put(blobs, key, encodeHour(events, hour, writer));
    files.push({ hour: hour.getTime(), part, key, ...stored, events: writer.events });
  }
  return files;
}

async function* chunksOf(next: () => Promise<Uint8Array | null>): AsyncGenerator<Uint8Array> {
  for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk;
}

/** Yields a file of the next events, up to the end of the hour or the maximum size. */
async function* encodeHour(events: EventQueue, hour: Date, writer: EventFileWriter): AsyncGenerator<Uint8Array> {
  const end = (hour.getTime() + HOUR) * 1000;
  while (writer.size < MAX_FILE_BYTES) {
    const event = events.first ?? (await events.peek());
    if (event === undefined || (event[RECEIVED_AT] as number) >= end) break;
    events.skip();
    const bytes = writer.add(event);
    if (bytes !== null) yield bytes;
  }
  yield writer.finish();
}

/** A queue of events that arrive in pages and are taken one by one. */
class EventQueue {
  readonly #pages: AsyncIterator<EventValues[]>;
  #page: EventValues[] = [];
  #index = 0;

  constructor(pages: AsyncIterable<EventValues[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** The first event, if it has arrived. */
  get first(): EventValues | undefined {
    return this.#page[this.#index];
  }

  /** Waits for the first event. Undefined at the end. */
  async peek(): Promise<EventValues | undefined> {
    while (this.first === undefined) {
      const { done, value } = await this.#pages.next();
      if (done === true) return undefined;
      [this.#page, this.#index] = [value, 0];
    }
    return this.first;
  }

  /** Takes the first event. */
  skip(): void {
    this.#index += 1;
  }
}

async function remove(blobs: BlobStore, task: RemoveTask['remove']): Promise<RemoveResult> {
  const stored = await blobs.stat(task.file.key);
  if (stored === null) return 'missing';
  if (stored.size !== task.file.size) return 'damaged';
  try {
    return await removeFrom(blobs, task);
  } catch (error) {
    if (error instanceof DamagedFileError) return 'damaged';
    throw error;
  }
}

async function removeFrom(blobs: BlobStore, { file, newKey, devices }: RemoveTask['remove']): Promise<RemoveResult> {
  if (!(await hasEventsOf(blobs, file, devices))) return 'same';
  const remaining = readEventsWithout(blobs, file, devices);
  const first = await remaining.next();
  if (first.done === true) return { size: 0, sha256: '', events: 0 };
  const writer = new EventFileWriter();
  async function* encode(): AsyncGenerator<Uint8Array> {
    for (let event = first; event.done !== true; event = await remaining.next()) {
      const bytes = writer.add(event.value);
      if (bytes !== null) yield bytes;
    }
    yield writer.finish();
  }
  const stored = await put(blobs, newKey, encode());
  return { ...stored, events: writer.events };
}

async function put(
  blobs: BlobStore,
  key: string,
  source: AsyncIterable<Uint8Array>,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      hash.update(bytes);
      yield bytes;
    }
  }
  const size = await blobs.put(key, hashed());
  return { size, sha256: hash.digest('hex') };
}

const NEWLINE = 10;

/**
 * Parses what `eventsQuery` copies: a JSON array per line, in which COPY doubles each backslash. A chunk may end
 * anywhere.
 */
async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventValues[]> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (end === 0) continue;
    const lines = bytes.toString('utf8', 0, end - 1).split('\n');
    yield lines.map((line) => JSON.parse(line.replaceAll('\\\\', '\\')) as EventValues);
  }
}
