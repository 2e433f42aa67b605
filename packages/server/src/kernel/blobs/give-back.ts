// Frees the memory of buffers that are done with, for sources whose buffers are nobody else’s.

/**
 * Frees a buffer's memory now. It lies outside of the JavaScript heap, and V8 collects the whole heap whenever 64 MB of such
 * memory have gathered: that more than doubled the processor time of receiving 1 GiB, the kernel's left aside
 * (bench/README.md). A buffer that shares its memory with others is left to the collector.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
