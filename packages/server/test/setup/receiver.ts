// A web server that receives webhooks, and responds as a test says.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from './until.ts';

type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string };

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** The statuses of the next responses; 200 after that. */
  respond(...statuses: number[]): void;
  /** Keeps the responses of requests until then. */
  block(until: Promise<void>): void;
  /** Waits for the next request to this path that was not taken before, and returns its body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at single fields.
  take(path: string): Promise<any>;
  close(): Promise<void>;
};

/** `beforeResponse` runs when a request has arrived, before it gets its response. */
export async function openReceiver({
  beforeResponse,
}: {
  beforeResponse?: () => Promise<void>;
} = {}): Promise<Receiver> {
  const received: Received[] = [];
  const taken = new Set<Received>();
  const statuses: number[] = [];
  let blocked = Promise.resolve();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ path: request.url ?? '', headers: request.headers, body });
    await beforeResponse?.();
    await blocked;
    response.writeHead(statuses.shift() ?? 200).end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    respond(...next) {
      statuses.push(...next);
    },
    block(until) {
      blocked = until;
    },
    async take(path) {
      const next = await until(async () => received.find((each) => each.path === path && !taken.has(each)));
      taken.add(next);
      return JSON.parse(next.body);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
