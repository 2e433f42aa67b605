// Sends a part of a file as the body of a request, raw or in a multipart form. The yardstick and the server get
// requests from the same code, so that only the receivers differ.
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';

export type FileRequest = {
  method: 'PUT' | 'POST';
  url: string;
  headers: Record<string, string>;
  /** The bytes `start` to `end` (exclusive) of the file at `path`. */
  path: string;
  start: number;
  end: number;
  /**
   * Text fields of a multipart/form-data body (RFC 7578) whose last part is the file. By default, the body is the file
   * itself.
   */
  form?: { fields: Record<string, string>; filename: string };
};

const READ_BYTES = 1024 * 1024;
const BOUNDARY = 'chauffeur-bench-5b0c1d9ae7';

/** One connection, kept between requests. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Returns the JSON of the response. Throws if the request fails. */
export async function send(input: FileRequest): Promise<unknown> {
  const { method, url, path, start, end } = input;
  const [opening, closing] = envelopeOf(input);
  const headers = {
    ...input.headers,
    'content-length': opening.length + (end - start) + closing.length,
    ...(input.form !== undefined && { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }),
  };
  const outgoing = request(url, { method, headers, agent });
  const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.write(opening);
  for await (const bytes of createReadStream(path, { start, end: end - 1, highWaterMark: READ_BYTES })) {
    if (!outgoing.write(bytes)) await Promise.race([once(outgoing, 'drain'), responded]);
  }
  outgoing.end(closing);
  const [response] = await responded;
  const data = await json(response);
  if (response.statusCode === undefined || response.statusCode >= 300) {
    throw new Error(`${method} ${url} returned ${response.statusCode}: ${JSON.stringify(data)}`);
  }
  return data;
}

function envelopeOf({ form }: FileRequest): [Buffer, Buffer] {
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
