// The thread of `planUpload`: reads a recipe, and finds its blocks in earlier files.
import { readFile } from 'node:fs/promises';
import { readRecipe } from '@chauffeur/deltas/bundle';
import { openBlobStore } from '../../kernel/blobs/open.ts';
import type { BlobSettings } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { findBlocks, missingOf, type Source } from './block-sources.ts';

export type PlanInput = {
  readonly blobSettings: BlobSettings;
  /** The file with the packed recipe. */
  readonly recipePath: string;
  readonly sources: readonly Source[];
};
export type PlannedUpload = {
  /** A bit for each block that has to be sent. */
  readonly missing: Uint8Array;
  readonly knownBlocks: number;
  readonly knownBytes: number;
  /** The ids of files with the same entries. */
  readonly same: readonly string[];
};

await answerTask(async ({ blobSettings, recipePath, sources }: PlanInput): Promise<PlannedUpload> => {
  const store = openBlobStore(blobSettings);
  try {
    const recipe = readRecipe(await readFile(recipePath));
    const found = await findBlocks(store, sources, recipe);
    const places = found.places.filter((place) => place !== undefined);
    return {
      missing: missingOf(found, recipe).bytes,
      knownBlocks: places.length,
      knownBytes: places.reduce((sum, place) => sum + place.packed, 0),
      same: found.same.map((source) => sources[source]!.fileId),
    };
  } finally {
    await store.close();
  }
});
