// The thread of the job that composes a zip: reads the bundle, and writes the zip.
import { createHash } from 'node:crypto';
import { type ReadBytes, readBundleHead } from '@chauffeur/deltas/bundle';
import { DeltaError } from '@chauffeur/deltas/error';
import { BlobCursor } from '../../kernel/blobs/blob-bytes.ts';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import type { BlobSettings, BlobStore } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { findBlocks, type Place, type Source } from './block-sources.ts';
import { BlocksGoneError, composeZip } from './compose-zip.ts';
import { createPlaceReader } from './place-reader.ts';

export type ComposeInput = {
  readonly blobSettings: BlobSettings;
  readonly bundle: { readonly key: string; readonly size: number };
  readonly sources: readonly Source[];
  /** The key of the zip, which nothing else writes. */
  readonly key: string;
  /** The zip is given up as soon as it is larger. */
  readonly maxBytes: number;
};

export type Composed =
  | {
      readonly outcome: 'composed';
      readonly size: number;
      /** 64 hex digits. */
      readonly sha256: string;
      /** How many bytes of the zip are from which file. */
      readonly reused: readonly { readonly fileId: string; readonly bytes: number }[];
    }
  | { readonly outcome: 'invalid' | 'gone' | 'tooLarge'; readonly detail: string };

class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

await answerTask(async (input: ComposeInput): Promise<Composed> => {
  const store = openBlobStore(input.blobSettings);
  try {
    return await compose(store, input);
  } catch (error) {
    const outcome = outcomeOf(error);
    await store.delete(input.key);
    if (outcome === null) throw error;
    return { outcome, detail: (error as Error).message };
  } finally {
    await store.close();
  }
});

function outcomeOf(error: unknown): 'invalid' | 'gone' | 'tooLarge' | null {
  if (error instanceof DeltaError) return 'invalid';
  if (error instanceof BlocksGoneError) return 'gone';
  return error instanceof TooLargeError ? 'tooLarge' : null;
}

async function compose(
  store: BlobStore,
  { bundle, sources, key, maxBytes }: ComposeInput,
): Promise<Extract<Composed, { outcome: 'composed' }>> {
  const cursor = new BlobCursor(store, bundle.key, bundle.size);
  const readBundle: ReadBytes = async (count) => {
    const bytes = await cursor.take(count);
    if (bytes.length !== count) throw new DeltaError('The bundle ends too early.');
    return bytes;
  };
  const head = await readBundleHead(readBundle);
  const { places } = await findBlocks(store, sources, head.recipe);
  const used = places.filter((place, block): place is Place => place !== undefined && !head.included.has(block));
  const readPlace = createPlaceReader(store, sources, used);
  const hash = createHash('sha256');
  let size = 0;
  async function* measured(): AsyncGenerator<Buffer, void> {
    for await (const bytes of composeZip({ head, places, readBundle, readPlace })) {
      size += bytes.length;
      if (size > maxBytes) throw new TooLargeError('The zip is too large.');
      hash.update(bytes);
      yield bytes;
    }
    if (cursor.position !== bundle.size) throw new DeltaError('There are bytes after the end of the bundle.');
  }
  await store.put(key, measured());
  const reused = sources.map(({ fileId }, source) => ({
    fileId,
    bytes: used.reduce((sum, place) => sum + (place.source === source ? place.packed : 0), 0),
  }));
  return { outcome: 'composed', size, sha256: hash.digest('hex'), reused: reused.filter(({ bytes }) => bytes > 0) };
}
