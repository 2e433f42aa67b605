// Stores an upload in an unlinked file, which disappears when it is closed or the process dies. If the process dies before
// the file is unlinked, `removeAbandoned` finds it by its name.
import { createHash } from 'node:crypto';
import { type FileHandle, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '../../kernel/blobs/store.ts';
import { PRIVATE_FILE } from '../../kernel/private-files.ts';
import { newId } from '../../kernel/secrets/ids.ts';

export type Spooled = {
  /** The caller closes it. */
  readonly file: FileHandle;
  readonly size: number;
  /** SHA-256 of the bytes as 64 lowercase hex digits. */
  readonly checksum: string;
};

/**
 * Stores up to `maxBytes` bytes of `source` in `folder`. Throws `tooLarge()` if there are more, and errors of the source and the
 * disk.
 */
export async function spool(
  folder: string,
  source: ByteSource,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: () => Error },
): Promise<Spooled> {
  const file = await openUnlinked(folder);
  const hash = createHash('sha256');
  let size = 0;
  async function* measured() {
    for await (const bytes of source) {
      size += bytes.length;
      if (size > maxBytes) throw tooLarge();
      hash.update(bytes);
      yield bytes;
    }
  }
  try {
    await writeFile(file, measured());
    return { file, size, checksum: hash.digest('hex') };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  const path = join(folder, newId());
  const file = await open(path, 'wx+', PRIVATE_FILE);
  await unlink(path);
  return file;
}
