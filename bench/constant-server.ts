// The yardstick of requests: Fastify as it comes, with one route that answers a constant. It is a program of its own, which writes
// its port to standard output.
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

const app = Fastify();
app.get('/', async () => ({ success: true }));
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${(app.server.address() as AddressInfo).port}\n`);
