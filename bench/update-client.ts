// The client of updates.ts: installs or updates when a line arrives, and prints the result.
import { once } from 'node:events';
import { install, update } from '@chauffeur/updater/updater';

const [kind, folder = '', server = ''] = process.argv.slice(2);
await once(process.stdin, 'data');
const { seconds, downloadedBytes, reusedBytes } =
  kind === 'install'
    ? await install({ folder, address: { server, game: 'night-owls' }, platform: { os: 'linux', arch: 'x86_64' } })
    : await update({ folder });
process.stdout.write(JSON.stringify({ seconds, downloadedBytes, reusedBytes }));
process.stdin.resume();
await once(process.stdin, 'end');
