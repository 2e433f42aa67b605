// Reads what a page needs to know about a video, and refuses what browsers don't play.

import {
  detectVideoType,
  findVideoProblem,
  refuseVideo,
  VIDEO_HEAD_BYTES,
  type VideoFacts,
} from '@chauffeur/contract/video-rules';
import { readMp4 } from './mp4.ts';
import { type VideoBytes, VideoError } from './video-bytes.ts';
import { readWebm } from './webm.ts';

/** `refused` says why the video was refused and what is required. */
export type VideoReading = VideoFacts | { refused: string };

/** Reads a video in memory that does not depend on its size. Rejects only if the bytes cannot be read. */
export async function readVideo(bytes: VideoBytes): Promise<VideoReading> {
  const type = detectVideoType(await bytes.read(0, Math.min(VIDEO_HEAD_BYTES, bytes.size)));
  if (type === null) return { refused: refuseVideo('neither an MP4 nor a WebM') };
  try {
    const facts = await (type === 'video/mp4' ? readMp4(bytes) : readWebm(bytes));
    const refused = findVideoProblem(facts);
    return refused === null ? facts : { refused };
  } catch (error) {
    if (error instanceof VideoError) return { refused: refuseVideo(error.message) };
    throw error;
  }
}
