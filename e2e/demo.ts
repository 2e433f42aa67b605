// A demo of shipping a build on its own server: `npm run demo`, or `npm run demo -- <game folder>`.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, runCommand, type Service, type ServiceProcess, startService } from './setup/processes.ts';
import { openStudioByCommands, readOffers, type Studio } from './setup/studio.ts';

const EXAMPLE = fileURLToPath(new URL('../examples/tiny-game', import.meta.url));

const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const game = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? EXAMPLE);
  const isFolder = await stat(game).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Error(`${game} is not a folder. Specify the folder of a game.`);
  const began = performance.now();
  const work = await makeFolder();
  let service: ServiceProcess | undefined;
  try {
    print('Starting a server with an embedded PostgreSQL in a new folder');
    service = await startService(join(work.path, 'data'));
    print(`  listening on ${service.url}\n`);
    print('Creating a verified owner, a game and a deploy key');
    const studio = await openStudioByCommands(service);
    print(`  game ${studio.slug}, uid ${studio.gameUid}\n`);
    await shipBuild(studio, game, work.path);
    await playAsPlayer(service, studio);
    print(`\nDone in ${((performance.now() - began) / 1000).toFixed(1)} s.`);
  } finally {
    await service?.stop();
    await work.remove();
  }
}

/** Runs the command as a developer would, in its own folder. */
async function shipBuild(studio: Studio, game: string, folder: string): Promise<void> {
  print(`Shipping ${relative(process.env.INIT_CWD ?? '.', game) || game} with the chauffeur command`);
  const platform = ['--os', 'web', '--arch', 'wasm'];
  const commands = [
    ['genbuild', '--version', '1.0.0', '--title', 'Parking'],
    ['addchangelog', '--title', 'First release', '--description', 'One car, one space.'],
    ['build', '--asset', 'build.yml', ...platform],
    ['setfiles', '--version', '1.0.0', ...platform, '--files', game],
    ['addfiles', '--asset', 'addfiles.yml', '--wait'],
  ];
  for (const args of commands) {
    print(`  $ chauffeur ${args.join(' ')}`);
    const { code } = await runCommand(args, { environment: studio.environment, folder, echo: true });
    if (code !== 0) throw new Error(`chauffeur ${args[0]} exited with code ${code}`);
  }
}

async function playAsPlayer(service: Service, studio: Studio): Promise<void> {
  const [offer] = await readOffers(service, studio.slug);
  if (offer === undefined) throw new Error('no channel offers the build');
  print(`\nThe channel ${offer.channel} now points at ${offer.version} on ${offer.os} ${offer.arch}`);
  const response = await fetch(offer.download_url);
  const checksum = createHash('sha256')
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest('hex');
  print('\nDownloading it as a player');
  print(`  uploaded    ${offer.file.checksum}`);
  print(`  downloaded  ${checksum}`);
  if (checksum !== offer.file.checksum) throw new Error('the download differs from the upload');
  print('  identical\n');
  const provenance = (await (await fetch(offer.provenance_url)).json()) as { data: object };
  print('Its file record');
  print(JSON.stringify(provenance.data, null, 2).replace(/^/gm, '  '));
}

main().catch((error: Error) => {
  process.stderr.write(`demo failed: ${error.message}\n`);
  process.exitCode = 1;
});
