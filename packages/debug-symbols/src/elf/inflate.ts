// Inflates zlib and zstd data piece by piece, without waiting for events: readers of debug information are synchronous.
import { createInflate, createZstdDecompress, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { ByteSource } from '../byte-source.ts';

/** Bytes that are read and yielded at once. */
const PIECE = 256 * 1024;
const NO_FLUSH = 0;

/** What Node's own synchronous functions use. Node documents none of it, so it may be missing in a later version. */
type Engine = {
  readonly _handle: {
    onerror: (message: string) => void;
    writeSync(
      ...args: [
        flush: number,
        ...[input: Uint8Array, inputAt: number, inputLength: number],
        ...[output: Uint8Array, outputAt: number, outputLength: number],
      ]
    ): void;
  };
  /** The bytes that are left of the output and of the input after a call. */
  readonly _writeState: Uint32Array;
  close(): void;
};

/**
 * Yields the content in pieces that the next step overwrites. The caller limits their sum. Throws an Error if the data
 * is damaged; data that is cut off ends early.
 */
export function* inflate(
  source: ByteSource,
  format: 'zlib' | 'zstd',
  maximum: number,
): Generator<Uint8Array, undefined> {
  const engine = openEngine(format);
  if (engine === undefined) {
    const inflateAll = format === 'zlib' ? inflateSync : zstdDecompressSync;
    yield inflateAll(source.read(0, source.size), { maxOutputLength: Math.max(1, maximum) });
    return;
  }
  try {
    yield* run(engine, source);
  } finally {
    engine.close();
  }
}

function openEngine(format: 'zlib' | 'zstd'): Engine | undefined {
  const engine: Partial<Engine> = format === 'zlib' ? createInflate() : createZstdDecompress();
  const { _handle: handle, _writeState: state } = engine;
  const isUsable = typeof handle?.writeSync === 'function' && state instanceof Uint32Array && state.length >= 2;
  return isUsable ? (engine as Engine) : undefined;
}

function* run({ _handle: handle, _writeState: state }: Engine, source: ByteSource): Generator<Uint8Array, undefined> {
  let problem: string | undefined;
  handle.onerror = (message) => {
    problem = message;
  };
  const output = new Uint8Array(PIECE);
  for (let at = 0; at < source.size; ) {
    const input = source.read(at, Math.min(PIECE, source.size - at));
    let used = 0;
    for (;;) {
      handle.writeSync(NO_FLUSH, input, used, input.length - used, output, 0, output.length);
      if (problem !== undefined) throw new Error(problem);
      const made = output.length - state[0]!;
      const taken = input.length - used - state[1]!;
      used += taken;
      if (made > 0) yield output.subarray(0, made);
      else if (taken === 0) break;
    }
    // What comes after the end of the data is not of interest.
    if (used < input.length) return;
    at += used;
  }
}
