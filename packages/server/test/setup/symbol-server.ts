// A symbol server on this machine: it has the files that a test puts there, and remembers what was requested.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export type SymbolServer = {
  /** It does not end with a slash. */
  readonly url: string;
  /** Keyed by path. All other files are 404. */
  readonly files: Map<string, Uint8Array | Respond>;
  /** The paths that were requested. */
  readonly requests: string[];
  /** The `Authorization` headers of the requests. */
  readonly credentials: (string | undefined)[];
  /** The most requests that were open at the same time. */
  maxOpen: number;
  /** Responds instead of the files. */
  respond: Respond | null;
  close(): Promise<void>;
};

export async function startSymbolServer(): Promise<SymbolServer> {
  let open = 0;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    symbolServer.requests.push(path);
    symbolServer.credentials.push(request.headers.authorization);
    open++;
    symbolServer.maxOpen = Math.max(symbolServer.maxOpen, open);
    response.on('close', () => open--);
    const file = symbolServer.respond ?? symbolServer.files.get(path);
    if (typeof file === 'function') file(request, response);
    else if (file === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<html>Not found</html>');
    else response.writeHead(200).end(file);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const symbolServer: SymbolServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files: new Map(),
    requests: [],
    credentials: [],
    maxOpen: 0,
    respond: null,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return symbolServer;
}
