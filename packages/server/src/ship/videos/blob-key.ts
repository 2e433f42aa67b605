// The keys of videos: `videos/<game>/<video>`. The format is known only after the bytes are stored.

export const VIDEO_PREFIX = 'videos/';

export function blobKeyOf(gameId: string, videoId: string): string {
  return `${VIDEO_PREFIX}${gameId}/${videoId}`;
}

/** The video id in a key from `blobKeyOf`. */
export function videoIdOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
