// Converts an uploaded image into the served image, in a thread.
import './sharp-formats.ts';
import type { ImageFormat } from '@chauffeur/contract/image-rules';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread } from '../../kernel/threads/threads.ts';
import type { ImageKind } from './media.ts';

export type EncodeTask = {
  /** Path of the uploaded image. */
  source: string;
  /** Path of the file to write. */
  target: string;
  kind: ImageKind;
};
/** The input of the thread: the task, and the time limit for decoding and encoding. */
export type EncodeInput = EncodeTask & { seconds: number };

/** A smaller copy of an image that is not animated; size in bytes. */
export type ImageCopy = { width: number; size: number; path: string };
/** The image at `target` with its copies next to it; size in bytes. */
export type EncodedImage = {
  format: ImageFormat;
  width: number;
  height: number;
  size: number;
  copies: readonly ImageCopy[];
};
/** `refused` says why the image was refused and what is required. */
export type EncodeResult = EncodedImage | { refused: string };

const THREAD = new URL('./image.thread.ts', import.meta.url);
const SECONDS = 30;
/**
 * The library stops itself after its time limit. The thread, which cannot be stopped during native work, gets a later
 * limit. Pixels are outside the heap; their number is limited separately.
 */
const LIMITS = { timeoutMs: (SECONDS + 15) * 1000, maxHeapMb: 128 };

/** The library shares the few libuv threads with file access and DNS, so some must stay free. */
const inTurn = limitConcurrency(2);

/**
 * Checks an image by the rules of its kind and encodes it again. Rejects like `runInThread`, and if a file cannot be
 * written.
 */
export function encodeImage(task: EncodeTask): Promise<EncodeResult> {
  const input: EncodeInput = { ...task, seconds: SECONDS };
  return inTurn(() => runInThread<EncodeResult>(THREAD, input, LIMITS));
}
