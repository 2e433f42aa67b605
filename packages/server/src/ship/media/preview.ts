// Encodes an image that anyone may have sent as a small WebP that is safe to show, in a thread.
import './sharp-formats.ts';
import { limitConcurrency } from '../../kernel/threads/concurrency.ts';
import { runInThread } from '../../kernel/threads/threads.ts';

/** Paths of the image to read and of the file to write. */
export type PreviewTask = { source: string; target: string };
/** The input of the thread: the task, and the time limit for decoding and encoding. */
export type PreviewInput = PreviewTask & { seconds: number };
/** `refused` says why the image cannot be shown. */
export type PreviewResult = { width: number; height: number; size: number } | { refused: string };

const THREAD = new URL('./preview.thread.ts', import.meta.url);
const SECONDS = 20;
/** The library stops itself after its time limit; the thread cannot be stopped during native work. */
const LIMITS = { timeoutMs: (SECONDS + 15) * 1000, maxHeapMb: 128 };

/** Crashes come in bursts, and the store images of developers must not wait for them. */
const inTurn = limitConcurrency(1);

/** Rejects like `runInThread`, and if the file cannot be written. */
export function encodePreview(task: PreviewTask): Promise<PreviewResult> {
  const input: PreviewInput = { ...task, seconds: SECONDS };
  return inTurn(() => runInThread<PreviewResult>(THREAD, input, LIMITS));
}
