// The thread of `inspectVideo`: reads the container of one video.
import { openBlobStore } from '../../kernel/blobs/open.ts';
import { BlobMissingError } from '../../kernel/blobs/store.ts';
import { answerTask } from '../../kernel/threads/threads.ts';
import { readVideo, type VideoReading } from './read-video.ts';
import { pagedBytes } from './video-bytes.ts';
import type { VideoInspection } from './video-requests.ts';

await answerTask(async ({ blobSettings, key }: VideoInspection): Promise<VideoReading> => {
  const store = openBlobStore(blobSettings);
  try {
    const blob = await store.stat(key);
    if (blob === null) throw new BlobMissingError(`There is no blob ${key}`);
    return await readVideo(pagedBytes(store, key, blob.size));
  } finally {
    await store.close();
  }
});
