// Finds a port for a program that cannot choose one itself.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns an unused port on the loopback interface. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
