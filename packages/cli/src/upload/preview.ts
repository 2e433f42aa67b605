// Shows what push and addfiles would send, and where, without sending it.
import type { Client } from '@chauffeur/contract/client';
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import type { BuildIdentity } from '@chauffeur/contract/identity';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import { type Result, tableOf } from '../output.ts';
import type { Entry } from '../zip/entries.ts';
import { type DeployInfo, findBuild } from './find-build.ts';
import { type Game, reportOf } from './upload-game.ts';

type Target = { info: DeployInfo; isRegistered: boolean };

/** Without credentials, only the files are shown. Rejects as other commands do if the credentials are refused. */
export async function previewGame(game: Game, identity: BuildIdentity, context: Context): Promise<Result> {
  const target = await readTarget(identity, context);
  const { version, build_type, os, arch, channel } = identity;
  const bytes = game.entries.reduce((sum, { size }) => sum + size, 0);
  const files = game.entries.filter(({ kind }) => kind === 'file').length;
  const offered = target?.info.channels.find(
    (offer) => offer.channel === channel && offer.os === os && offer.arch === arch,
  );
  return {
    data: {
      dry_run: true,
      game: target && { uid: target.info.app_id, slug: target.info.slug, name: target.info.name, url: target.info.url },
      build: { version, build_type, os, arch, channel, registered: target?.isRegistered ?? null },
      offered_version: offered?.version ?? null,
      entries: game.entries.map(({ path, kind, size, executable, target: leadsTo }) => ({
        path,
        type: kind,
        size,
        executable: executable === true,
        ...(kind === 'symlink' && { target: leadsTo }),
      })),
      files,
      bytes,
      ...reportOf(game),
    },
    lines: [
      ...tableOf(game.entries.map(rowOf)),
      ...game.leftOut.map(({ path, reason }) => `left out: ${printable(path)} (${reason})`),
      '',
      ...tableOf([
        ['game', target === null ? 'unknown without credentials' : `${target.info.name} (${target.info.slug})`],
        ...(target === null ? [] : [['page', target.info.url]]),
        ['build', `${version} for ${os}/${arch}${build_type === 'game' ? '' : `, of the type ${build_type}`}`],
        ...(target === null ? [] : [['', target.isRegistered ? 'already registered' : 'would be registered']]),
        ['channel', `${channel}${formatOffer(target, offered?.version)}`],
        ['files', `${formatNumber(files)} with ${formatBytes(bytes)} before compression`],
      ]),
      'Nothing was sent, because of --dry-run.',
    ],
  };
}

async function readTarget(identity: BuildIdentity, context: Context): Promise<Target | null> {
  const { retryBriefly, signal, output } = context;
  let client: Client;
  try {
    client = await context.connect();
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    output.note(`note: ${error.message} The game was not checked.`);
    return null;
  }
  const info = await retryBriefly(() => client.call(getDeployInfo, {}, { signal }));
  return { info, isRegistered: (await findBuild(client, identity, { retryBriefly, signal })).build !== undefined };
}

function formatOffer(target: Target | null, version: string | undefined): string {
  if (target === null) return '';
  return version === undefined ? ', which offers nothing on this platform now' : `, which offers ${version} now`;
}

function rowOf({ path, kind, size, executable, target }: Entry): string[] {
  const sizeCell = kind === 'file' ? formatBytes(size) : kind;
  const link = kind === 'symlink' ? ` -> ${target}` : '';
  return [sizeCell.padStart(9), `${path}${link}${executable === true ? ' (executable)' : ''}`];
}

/** Names of files that are left out can contain anything. */
function printable(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
