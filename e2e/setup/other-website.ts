// A website of somebody else, with links to games or frames of them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type OtherWebsite = {
  /** Browsers find every host under localhost on this machine. */
  readonly urlOf: (host: string) => string;
  readonly stop: () => void;
};

/** `write` returns the HTML of the body when a page is requested. */
export async function serveOtherWebsite(write: () => string): Promise<OtherWebsite> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Studio</title><link rel="icon" href="data:,"><h1>Our games</h1>${write()}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (host) => `http://${host}:${port}/`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
