// Converts a file as threads do, but in this thread, which takes less time: in batches of few parts, each of which is
// read by what a thread gets, and packed.
import { type Conversion, type ConversionOptions, convertFile, startConversion } from '../src/convert-file.ts';
import { DebugSymbolsError } from '../src/error.ts';
import { identityRecords } from '../src/identity.ts';
import { OpenFiles } from '../src/open-files.ts';
import { openParts } from '../src/threads/open-parts.ts';
import { sharedParts } from '../src/threads/run-steps.ts';
import type { PackedBatch, Parts, Work } from '../src/threads/work.ts';

/** Undefined if there was no work for threads. */
export function convertAsThreads(path: string, options: ConversionOptions, partsOfBatch: number): string | undefined {
  const files = new OpenFiles();
  try {
    const { steps, finish } = startConversion(path, options, files);
    let count = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return count === 0 ? undefined : textOf(finish(step.value));
      count += step.value.sizes.length;
      packAll(step.value, partsOfBatch);
    }
  } finally {
    files.close();
  }
}

function packAll(work: Work, partsOfBatch: number): void {
  const shared = sharedParts(work) as Parameters<typeof openParts>[0] | undefined;
  if (shared === undefined) {
    work.run(0, work.sizes.length);
    return;
  }
  // Half of the batches are read by one thread, and half by another.
  const threads = [openParts(shared), openParts(shared)];
  const starts = Array.from(
    { length: Math.ceil(work.sizes.length / partsOfBatch) },
    (_, index) => index * partsOfBatch,
  );
  const packed = starts.map((start, index) => tryPack(threads[index % 2]!, start, start + partsOfBatch));
  work.meanwhile?.();
  for (const [index, start] of starts.entries()) {
    const batch = packed[index];
    if (batch === undefined) work.run(start, start + partsOfBatch);
    else work.add(batch);
  }
}

function tryPack(parts: Parts, start: number, end: number): PackedBatch | undefined {
  try {
    return parts.pack(start, end);
  } catch (error) {
    if (error instanceof DebugSymbolsError) return undefined;
    throw error;
  }
}

/** The symbol file, or the message of the DebugSymbolsError. */
export function resultOf(convert: () => string | undefined): string | undefined {
  try {
    return convert();
  } catch (error) {
    if (error instanceof DebugSymbolsError) return error.message;
    throw error;
  }
}

export function convertToText(path: string, options: ConversionOptions = {}): string {
  return textOf(convertFile(path, options));
}

export function textOf({ identity, writer }: Conversion): string {
  try {
    return [...writer.write(identityRecords(identity))].join('');
  } finally {
    writer.close();
  }
}
