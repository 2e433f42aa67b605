// The yardstick for uploads: a plain Node server that pipes the body of a PUT into a file and hashes it. It is a
// separate program: `node put-server.ts <folder>` prints its port, and responds to a PUT with the SHA-256.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: put-server.ts <folder>');

const server = createServer((request, response) => {
  const hash = createHash('sha256');
  const file = createWriteStream(join(folder, basename(request.url ?? '')));
  request.on('data', (bytes: Buffer) => hash.update(bytes));
  request.pipe(file);
  file.on('finish', () => response.end(JSON.stringify({ checksum: hash.digest('hex') })));
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
