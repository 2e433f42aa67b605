// Writes archives like Unreal Engine’s CrashReportClient. Shares no code with the reader under test.

export type ArchiveFile = { name: string; content: Uint8Array };

/** The engine pads each name with NUL to this length. */
const NAME_BYTES = 260;

/**
 * With the marker, it is the header, then the files. Without it, it is an empty header, the files, then the real
 * header.
 */
export function unrealArchive(files: readonly ArchiveFile[], { marked }: { marked: boolean }): Buffer {
  const size = files.reduce((sum, { content }) => sum + content.length, 0);
  const header = (count: number) =>
    Buffer.concat([nameOf('UECC-Windows-0123'), nameOf('UECC-Windows-0123.uecrash'), int32(size), int32(count)]);
  const bodies = files.flatMap(({ name, content }, index) => [
    int32(index),
    nameOf(name),
    int32(content.length),
    content,
  ]);
  return marked
    ? Buffer.concat([Buffer.from('CR1'), header(files.length), ...bodies])
    : Buffer.concat([header(0), ...bodies, header(files.length)]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function nameOf(name: string): Buffer {
  const bytes = Buffer.alloc(NAME_BYTES);
  bytes.write(name);
  return Buffer.concat([int32(NAME_BYTES), bytes]);
}
