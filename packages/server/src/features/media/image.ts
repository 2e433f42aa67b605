// Turns an uploaded image into the one that is served, away from the request loop.

import type { ImageFormat } from '@chauffeur/contract/image-rules';
// Also for the thread, as its documentation wants: on glibc, a native library that only threads have open is unloaded under its own threads when the
// last of them ends.
import sharp from 'sharp';
import { runInThread } from '../../kernel/threads.ts';
import { takeTurns } from '../../kernel/turns.ts';
import type { ImageKind } from './media.ts';

export type EncodeTask = {
  /** Path of the image as it came. */
  source: string;
  /** Path of the file to write. */
  target: string;
  kind: ImageKind;
};
/** What the thread is given: the task, and how long decoding and encoding may take. */
export type EncodeInput = EncodeTask & { seconds: number };

/** A smaller one, of one that is not animated; size in bytes. */
export type ImageCopy = { width: number; size: number; path: string };
/** What lies at `target` then, and beside it its copies; size in bytes. */
export type EncodedImage = {
  format: ImageFormat;
  width: number;
  height: number;
  size: number;
  copies: readonly ImageCopy[];
};
/** `refused` says what the image is, and what is needed. */
export type EncodeResult = EncodedImage | { refused: string };

const THREAD = new URL('./image.thread.ts', import.meta.url);
const SECONDS = 30;
/**
 * The library ends its own work when its time is up; a thread cannot be ended in the midst of it, so its time comes later.
 * Pixels lie outside of the heap, and are bounded by their number.
 */
const LIMITS = { timeoutMs: (SECONDS + 15) * 1000, maxHeapMb: 128 };

// The library can read many formats, some by large old decoders: only these may run. This holds for the process with all its threads, and so it is set
// here, once, and not by each thread: an image that another reads at that moment would be refused.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});

/** The library works on the few threads that the process has for files and host names as well: some must stay free. */
const inTurn = takeTurns(2);

/** Judges an image as one of its kind and writes it anew. Rejects as `runInThread` does, and when a file cannot be written. */
export function encodeImage(task: EncodeTask): Promise<EncodeResult> {
  const input: EncodeInput = { ...task, seconds: SECONDS };
  return inTurn(() => runInThread<EncodeResult>(THREAD, input, LIMITS));
}
