// Frees the memory of buffers after use, for sources that share their buffers with no one.

/**
 * Frees the memory of a buffer at once. V8 keeps buffers outside its heap, and collects the whole heap for every 64 MB
 * of them, which more than doubled the CPU time for receiving 1 GiB (without the time in the operating system;
 * bench/README.md). A buffer that shares its memory with others is left to the garbage collector.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
