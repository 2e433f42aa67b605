// Installs or updates in a separate process, which tests kill: `run.ts install|update|repair FOLDER SERVER`.
import { install, repair, update } from '../../src/updater.ts';

const [kind, folder = '', server = ''] = process.argv.slice(2);
process.stdout.write('begun\n');
if (kind === 'install')
  await install({ folder, address: { server, game: 'night-owls' }, platform: { os: 'linux', arch: 'x86_64' } });
else if (kind === 'update') await update({ folder });
else await repair({ folder });
