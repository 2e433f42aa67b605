// A proxy in front of a server that records what programs send and what they are answered.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { decodeBody } from '@chauffeur/sentry/encoding';

type Exchange = { readonly status: number; readonly body: string };

export type HttpRecorder = {
  readonly url: string;
  /** The bodies are decoded. */
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
};

const MAX_BYTES = 10_000_000;

export async function startHttpRecorder(origin: string): Promise<HttpRecorder> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { host: _, connection: __, 'transfer-encoding': ___, expect: ____, ...headers } = request.headers;
    const answer = await fetch(`${origin}${request.url}`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    const decoded = await buffer(
      decodeBody(Readable.from([body]), headers['content-encoding'], { maxBytes: MAX_BYTES }),
    );
    exchanges.push({ status: answer.status, body: decoded.toString() });
    const kept = [...answer.headers].filter(([name]) => !/^(?:content-|transfer-|connection|keep-alive)/.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(await answer.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
