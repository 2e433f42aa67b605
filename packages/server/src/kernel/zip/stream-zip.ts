// Writes a zip while it is being sent: one file after the other, uncompressed, so that its size is known before.
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file of the zip. The name has `/` between folders. A stream is opened when its turn comes. */
export type ZipPart = { readonly name: string; readonly changedAt: Date } & (
  | { readonly bytes: Buffer }
  | { readonly size: number; readonly open: () => Promise<Readable> }
);

/**
 * The zip and its size in bytes. If a part can't be read, or has another size, the stream ends with an error. If the
 * stream is destroyed, the part that is being read is, too.
 */
export function streamZip(parts: readonly ZipPart[]): { readonly stream: Readable; readonly size: number } {
  const zip = new ZipFile();
  const stream = zip.outputStream as Readable;
  let open: Readable | undefined;
  const fail = (error: Error) => void stream.destroy(error);
  zip.on('error', fail);
  stream.once('close', () => open?.destroy());
  for (const part of parts) {
    const options = { mtime: part.changedAt, compress: false };
    if ('bytes' in part) zip.addBuffer(part.bytes, part.name, options);
    else
      zip.addReadStreamLazy(part.name, { ...options, size: part.size }, (done) => {
        part.open().then((source) => {
          open = source.once('error', fail);
          if (stream.destroyed) source.destroy();
          else done(null, source);
        }, fail);
      });
  }
  let size = -1;
  const keepSize = (total: number) => {
    size = total;
  };
  // Called at once, because all sizes are known and nothing is compressed. Its types leave out the size.
  zip.end(undefined, keepSize as () => void);
  return { stream, size };
}
