// Writes to a reader that may have stopped reading.
import type { Duplex } from 'node:stream';

/** How far behind a reader may be. One that is further behind is dropped, and connects again when it can. */
const MAX_BEHIND_BYTES = 16 * 1024;

export function writeOrDrop(stream: Duplex, text: string): void {
  if (stream.destroyed || stream.writableEnded) return;
  if (stream.writableLength + stream.readableLength > MAX_BEHIND_BYTES) stream.destroy();
  else stream.write(text);
}
