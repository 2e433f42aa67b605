// Measures the operations of a blob store, for metrics and traces.

import { secondsSince } from '../clock.ts';
import { isStorageFull } from '../storage-full.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { BlobMissingError, type BlobStore, type ByteSource } from './store.ts';

type Operation = 'put' | 'begin' | 'append' | 'complete' | 'stat' | 'read' | 'sign' | 'delete';
type Outcome = 'ok' | 'missing' | 'full' | 'cut' | 'failed';

/** The same store, except that its operations are measured. Threads open their own store, without metrics. */
export function measureBlobs(store: BlobStore, { blobOperations }: Pick<Metrics, 'blobOperations'>): BlobStore {
  async function measure<T>(operation: Operation, work: () => Promise<T>, isCut = () => false): Promise<T> {
    const begun = performance.now();
    let outcome: Outcome = 'ok';
    try {
      return await inSpan(`blob ${operation}`, { kind: 'client' }, work);
    } catch (error) {
      outcome = outcomeOf(error, isCut());
      throw error;
    } finally {
      blobOperations.observe({ operation, outcome }, secondsSince(begun));
    }
  }

  /** An error of the source is not a failure of the store. */
  function write<T>(operation: Operation, source: ByteSource, work: (source: ByteSource) => Promise<T>): Promise<T> {
    const watched = watchSource(source);
    return measure(operation, () => work(watched.source), watched.hasFailed);
  }

  return {
    ...store,
    put: (key, source) => write('put', source, (watched) => store.put(key, watched)),
    putPacked: (key, file, maxStored) => measure('put', () => store.putPacked(key, file, maxStored)),
    append: (upload, source) => write('append', source, (watched) => store.append(upload, watched)),
    begin: (key) => measure('begin', () => store.begin(key)),
    complete: (upload) => measure('complete', () => store.complete(upload)),
    stat: (key) => measure('stat', () => store.stat(key)),
    read: (key, range) => measure('read', () => store.read(key, range)),
    sign: (key, options) => measure('sign', () => store.sign(key, options)),
    delete: (key) => measure('delete', () => store.delete(key)),
  };
}

function outcomeOf(error: unknown, isCut: boolean): Outcome {
  if (isCut) return 'cut';
  if (error instanceof BlobMissingError) return 'missing';
  return isStorageFull(error) ? 'full' : 'failed';
}

function watchSource(source: ByteSource): { source: ByteSource; hasFailed: () => boolean } {
  let failed = false;
  async function* watch() {
    try {
      yield* source;
    } catch (error) {
      failed = true;
      throw error;
    }
  }
  const { release } = source;
  const watched: ByteSource = {
    [Symbol.asyncIterator]: watch,
    ...(release !== undefined && { release: (bytes) => release.call(source, bytes) }),
  };
  return { source: watched, hasFailed: () => failed };
}
