// An issue tracker on this machine: it responds like the APIs of GitHub and GitLab, and remembers what it got.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type TrackerRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape.
  readonly body: any;
};

export type Tracker = {
  readonly url: string;
  readonly requests: TrackerRequest[];
  /** What the next requests get; a created issue by default. */
  answer: { status: number; body: string } | null;
  stop(): Promise<void>;
};

export async function startTracker(): Promise<Tracker> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method = '', url = '', headers } = request;
    tracker.requests.push({ method, path: url, headers, body: body === '' ? null : JSON.parse(body) });
    const number = tracker.requests.length;
    const issue = { html_url: `${tracker.url}/issues/${number}`, web_url: `${tracker.url}/-/issues/${number}` };
    const answer = tracker.answer ?? { status: 201, body: JSON.stringify(issue) };
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const tracker: Tracker = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: null,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return tracker;
}
