// The website of a program’s maker, with the program’s client ID metadata document: a real HTTPS server on this machine, at the end of an
// internet in which every host has a public address.
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  type FetchDocument,
  fetchClientDocument,
  type Internet,
} from '../../src/features/accounts/client-document-fetch.ts';
import { makeCertificate } from './certificate.ts';

export const HOST = 'agents.example';
export const PUBLIC_ADDRESS = { address: '93.184.215.14', family: 4 } as const;

export type DocumentSite = {
  readonly internet: Internet;
  readonly fetchDocument: FetchDocument;
  /** Requests that arrived, by their paths. */
  readonly requests: string[];
  /** Of connections, those that were pinned to. */
  readonly connectedTo: string[];
  /** What it answers from now on. */
  serve(listener: RequestListener): void;
  /** The same, as a document with no more than is asked of one, and what `more` says. */
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
  const server = createServer(certificate, (asked, response) => {
    requests.push(asked.url ?? '');
    listener(asked, response);
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
        // Asks the given look-up for the address, and goes to this machine in its place.
        lookup: (host, _options, done) =>
          options.lookup?.(host, { all: true }, (_error, found) => {
            connectedTo.push(...(found as { address: string }[]).map(({ address }) => address));
            done(null, [{ address: '127.0.0.1', family: 4 }]);
          }),
      }),
    milliseconds: 1000,
  };
  const site: DocumentSite = {
    internet,
    fetchDocument: (url) => fetchClientDocument(url, internet),
    requests,
    connectedTo,
    serve(next) {
      listener = next;
    },
    publish(more = {}, headers = {}) {
      site.serve((asked, response) => {
        response.writeHead(200, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(documentOf(`https://${HOST}${asked.url}`, more)));
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
