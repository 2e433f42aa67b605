// Tests an uncaught error in the real program: it shuts down in order and stops its database.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeFolder, type ServiceProcess, startService } from '../setup/processes.ts';

/** Makes the server fail when it receives a signal, like a bug anywhere in its code. */
const FAULTS = `
  process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a fault for the test'); }));
  process.on('SIGHUP', () => void Promise.reject(new Error('a rejection for the test')));
`;
const PRELOAD = `data:text/javascript,${encodeURIComponent(FAULTS)}`;

let folder: Awaited<ReturnType<typeof makeFolder>>;
before(async () => {
  folder = await makeFolder();
});
after(() => folder.remove());

const start = (): Promise<ServiceProcess> => startService(folder.path, {}, { preload: PRELOAD });
const hasDatabase = () => existsSync(join(folder.path, 'postgres', 'postmaster.pid'));

for (const [signal, message] of [
  ['SIGUSR2', 'a fault for the test'],
  ['SIGHUP', 'a rejection for the test'],
] as const) {
  test(`${message} ends the process with code 1 and stops the embedded PostgreSQL`, async () => {
    const service = await start();
    assert.ok(hasDatabase());
    process.kill(service.pid, signal);
    process.kill(service.pid, signal);
    assert.equal(await service.ended(), 1);
    assert.ok(!hasDatabase(), 'PostgreSQL is still running');
    const fatal = service
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"fatal"'));
    assert.ok(fatal.length > 0 && fatal.every((line) => line.includes(message)), service.output());
  });
}
