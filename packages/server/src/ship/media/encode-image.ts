// Encodes images that anyone may have sent again, each in a thread: store images in full quality with smaller copies,
// and previews of screenshots in crash reports.
//
// The main thread loads the image library as well, as its documentation requires: on glibc, a native library that only
// worker threads have loaded is unloaded when the last of them ends, while the library's own threads are still running.
import type { ImageFormat, ImageKind } from '@chauffeur/contract/image-rules';
import sharp from 'sharp';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread } from '../../kernel/threads/threads.ts';

// The library supports many formats, some with large, old decoders, so only these are enabled. The setting applies to
// the whole process. It is made here, once, because changing it in each thread would refuse images that other threads
// are reading.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});

export type EncodeTask = {
  /** The path of the uploaded image. */
  source: string;
  /** The path of the file to write. */
  target: string;
  kind: ImageKind;
};
/** The input of the thread: the task, and the time limit for decoding and encoding. */
export type EncodeInput = EncodeTask & { seconds: number };

/** A smaller copy of an image that is not animated. The size is in bytes. */
export type ImageCopy = { width: number; size: number; path: string };
/** The image at `target`, with its copies next to it. The size is in bytes. */
export type EncodedImage = {
  format: ImageFormat;
  width: number;
  height: number;
  size: number;
  copies: readonly ImageCopy[];
};
/** `refused` says why the image was refused and what is required. */
export type EncodeResult = EncodedImage | { refused: string };

const IMAGE_THREAD = new URL('./image.thread.ts', import.meta.url);
const IMAGE_SECONDS = 30;

/** The library shares the few libuv threads with file access and DNS, so some must stay free. */
const imagesInTurn = limitConcurrency(2);

/**
 * Checks an image by the rules of its kind and encodes it again. Rejects like `runInThread`, and if a file cannot be
 * written.
 */
export function encodeImage(task: EncodeTask): Promise<EncodeResult> {
  const input: EncodeInput = { ...task, seconds: IMAGE_SECONDS };
  return imagesInTurn(() => runInThread<EncodeResult>(IMAGE_THREAD, input, limitsFor(IMAGE_SECONDS)));
}

/**
 * The library stops itself after its time limit. The thread, which cannot be stopped during native work, gets a later
 * limit. Pixels are outside the heap; their number is limited separately.
 */
function limitsFor(seconds: number) {
  return { timeoutMs: (seconds + 15) * 1000, maxHeapMb: 128 };
}

/** The paths of the image to read and of the file to write. */
export type PreviewTask = { source: string; target: string };
/** The input of the thread: the task, and the time limit for decoding and encoding. */
export type PreviewInput = PreviewTask & { seconds: number };
/** `refused` says why the image cannot be shown. */
export type PreviewResult = { width: number; height: number; size: number } | { refused: string };

const PREVIEW_THREAD = new URL('./preview.thread.ts', import.meta.url);
const PREVIEW_SECONDS = 20;

/** Crashes come in bursts, and the store images of developers must not wait for them. */
const previewsInTurn = limitConcurrency(1);

/** Encodes an image as a small WebP that is safe to show. Rejects like `runInThread`, and if it cannot be written. */
export function encodePreview(task: PreviewTask): Promise<PreviewResult> {
  const input: PreviewInput = { ...task, seconds: PREVIEW_SECONDS };
  return previewsInTurn(() => runInThread<PreviewResult>(PREVIEW_THREAD, input, limitsFor(PREVIEW_SECONDS)));
}
