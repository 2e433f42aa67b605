// Reads files for uploads without having them in memory: streams a range as multipart/form-data (RFC 7578), and computes
// checksums.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import { KIB, MIB } from '@chauffeur/contract/limits';

type FilePart = {
  filename: string;
  /** Path on disk. */
  path: string;
  /** The range of bytes to send, from `start` to `end` (exclusive). */
  start: number;
  end: number;
};

type MultipartBody = { form: BodyInit; headers: Record<string, string> };

const READ_BYTES = 256 * KIB;

/**
 * A form with text fields followed by the part `file`. It has a content length, so a server can reject it early. `onSent` is called
 * with the number of file bytes sent so far.
 */
export function multipartBody(
  fields: Readonly<Record<string, string>>,
  file: FilePart,
  onSent: (bytes: number) => void = () => {},
): MultipartBody {
  const boundary = `chauffeur-${randomUUID()}`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const disposition = `Content-Disposition: form-data; name="file"; filename="${quoted(file.filename)}"`;
  const opening = `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const head = Buffer.from(texts.join('') + opening);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    form: ReadableStream.from(bytesOf(head, file, tail, onSent)) as BodyInit,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.end - file.start + tail.length),
    },
  };
}

async function* bytesOf(head: Buffer, file: FilePart, tail: Buffer, onSent: (bytes: number) => void) {
  yield head;
  let sent = 0;
  const { start, end } = file;
  for await (const piece of createReadStream(file.path, { start, end: end - 1, highWaterMark: READ_BYTES })) {
    yield piece as Buffer;
    sent += (piece as Buffer).length;
    onSent(sent);
  }
  yield tail;
}

/** Escaped as browsers do (HTML Standard, "Multipart form data"). */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Reads the whole file once; `sha256` has 64 lowercase hex digits. */
export async function hashFile(path: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of createReadStream(path, { highWaterMark: MIB })) {
    hash.update(piece as Buffer);
    size += (piece as Buffer).length;
  }
  return { size, sha256: hash.digest('hex') };
}
