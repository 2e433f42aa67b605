// A TCP proxy in front of a server, which a test can make slow, silent or unreachable.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

/** `slow` delays every piece of data; `silent` keeps the connections and forwards nothing; `gone` refuses them. */
export type ProxyMode = 'open' | 'slow' | 'silent' | 'gone';

export type TcpProxy = {
  readonly port: number;
  set(mode: ProxyMode): void;
  /** Cuts all connections, which can then be opened again. */
  cut(): void;
  /** Forwards nothing more on the connections that exist, and doesn't close them, as after a loss of power. */
  abandon(): void;
  stop(): Promise<void>;
};

const DELAY_MS = 100;
const PIECE_BYTES = 16 * 1024;

export async function startTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  let mode: ProxyMode = 'open';
  const sockets = new Set<Socket>();
  let abandoned = new AbortController();
  /** Resolved when data is forwarded again. */
  let open = Promise.withResolvers<void>();
  open.resolve();

  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  async function forward(from: Socket, to: Socket): Promise<void> {
    const { signal } = abandoned;
    for await (const data of from) {
      if (signal.aborted) continue;
      for (let start = 0; start < data.length; start += PIECE_BYTES) {
        await open.promise;
        if (mode === 'slow') await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
        if (!to.write(data.subarray(start, start + PIECE_BYTES))) await once(to, 'drain');
      }
    }
    to.end();
  }
  const server = createServer((client) => {
    if (mode === 'gone') return void client.destroy();
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      track(from);
      from.on('close', () => to.destroy());
      forward(from, to).catch(() => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next;
      if (mode === 'gone') cut();
      if (mode === 'silent') open = Promise.withResolvers();
      else open.resolve();
    },
    cut,
    abandon() {
      abandoned.abort();
      abandoned = new AbortController();
    },
    async stop() {
      open.resolve();
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
