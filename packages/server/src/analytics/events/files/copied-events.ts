// Parses events as PostgreSQL copies them: a JSON array per line, in which COPY doubles each backslash.
import type { EventValues } from './columns.ts';

const NEWLINE = 10;

/** Yields the events of the chunks, which may end anywhere. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventValues[]> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (end === 0) continue;
    const lines = bytes.toString('utf8', 0, end - 1).split('\n');
    yield lines.map((line) => JSON.parse(line.replaceAll('\\\\', '\\')) as EventValues);
  }
}
