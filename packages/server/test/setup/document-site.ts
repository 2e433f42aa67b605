// A website that publishes the client ID metadata document of a program: a real HTTPS server on this machine, reached
// through a simulated internet in which every host name has a public address.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Internet } from '../../src/kernel/network/public-request.ts';
import { type FetchDocument, fetchClientDocument } from '../../src/people/accounts/client-documents.ts';
import { makeCertificate } from './certificate.ts';

export const HOST = 'agents.example';
export const PUBLIC_ADDRESS = { address: '93.184.215.14', family: 4 } as const;

export type DocumentSite = {
  readonly internet: Internet;
  readonly fetchDocument: FetchDocument;
  /** The paths of the received requests. */
  readonly requests: string[];
  /** The addresses that connections were pinned to. */
  readonly connectedTo: string[];
  /** Sets how the website responds from now on. */
  serve(listener: RequestListener): void;
  /** Publishes a document with the required fields; `more` adds or replaces some. */
  publish(more?: object, headers?: Record<string, string>): void;
  close(): Promise<void>;
};

export function documentOf(address: string, more: object = {}): object {
  return {
    client_id: address,
    client_name: 'Night owl',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost:3118/callback'],
    token_endpoint_auth_method: 'none',
    ...more,
  };
}

export async function openDocumentSite(): Promise<DocumentSite> {
  const certificate = makeCertificate(HOST);
  const requests: string[] = [];
  const connectedTo: string[] = [];
  let listener: RequestListener = (_request, response) => response.writeHead(404).end();
  const server = createServer(certificate, (incoming, response) => {
    requests.push(incoming.url ?? '');
    listener(incoming, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const internet: Internet = {
    resolve: async () => [PUBLIC_ADDRESS],
    request: (url, options) =>
      request(url, {
        ...options,
        port,
        ca: certificate.cert,
        // Calls the lookup function under test, but connects to this machine.
        lookup: (host, _options, done) =>
          options.lookup?.(host, { all: true }, (_error, addresses) => {
            connectedTo.push(...(addresses as { address: string }[]).map(({ address }) => address));
            done(null, [{ address: '127.0.0.1', family: 4 }]);
          }),
      }),
    allowsPrivate: false,
  };
  const site: DocumentSite = {
    internet,
    fetchDocument: (url) => fetchClientDocument(url, { internet, milliseconds: 1000 }),
    requests,
    connectedTo,
    serve(next) {
      listener = next;
    },
    publish(more = {}, headers = {}) {
      site.serve((incoming, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(documentOf(`https://${HOST}${incoming.url}`, more)));
      });
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return site;
}
