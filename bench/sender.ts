// Sends a part of a file as the body of a request, raw or in a multipart envelope: the same code whoever receives it, so that
// only the receivers differ.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';

export type Sending = {
  method: 'PUT' | 'POST';
  url: string;
  headers: Record<string, string>;
  /** The bytes `start` to `end` (exclusive) of the file at `path`. */
  path: string;
  start: number;
  end: number;
  /** Text fields of a multipart/form-data body (RFC 7578) whose last part is the file; raw where absent. */
  form?: { fields: Record<string, string>; filename: string };
};

const READ_BYTES = 1024 * 1024;
const BOUNDARY = 'chauffeur-bench-5b0c1d9ae7';

/** One connection, kept between requests. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** The JSON of the answer. Throws when it is not a success. */
export async function send(sending: Sending): Promise<unknown> {
  const { method, url, path, start, end } = sending;
  const [opening, closing] = envelopeOf(sending);
  const headers = {
    ...sending.headers,
    'content-length': opening.length + (end - start) + closing.length,
    ...(sending.form !== undefined && { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }),
  };
  const outgoing = request(url, { method, headers, agent });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.write(opening);
  for await (const bytes of createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES })) {
    if (!outgoing.write(bytes)) await Promise.race([once(outgoing, 'drain'), answered]);
  }
  outgoing.end(closing);
  const [response] = await answered;
  const answer = await json(response);
  if (response.statusCode === undefined || response.statusCode >= 300) {
    throw new Error(`${method} ${url} answered ${response.statusCode}: ${JSON.stringify(answer)}`);
  }
  return answer;
}

function envelopeOf({ form }: Sending): [Buffer, Buffer] {
  if (form === undefined) return [Buffer.alloc(0), Buffer.alloc(0)];
  const fields = Object.entries(form.fields).map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${form.filename}"\r\nContent-Type: application/zip\r\n\r\n`;
  return [Buffer.from(fields.join('') + file), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)];
}

export function closeSender(): void {
  agent.destroy();
}
