// Memory of buffers. It is outside of the heap, so that what is unused grows to many megabytes before it is collected.

/**
 * Gives the memory of a buffer back at once, if it has most of it for itself: small ones share theirs (`Buffer.poolSize`).
 * Nothing may read the buffer, or what it is part of, afterwards.
 */
export function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength > 0 && 2 * byteLength >= buffer.byteLength) buffer.transfer(0);
}
