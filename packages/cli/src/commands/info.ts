// `chauffeur info`: shows the game of the deploy key, its addresses and its recent builds.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import { Command } from 'commander';
import { sizeText, tableOf } from '../output.ts';
import type { Act, Handler } from '../program.ts';

export function infoCommand(act: Act): Command {
  return new Command('info')
    .description('show the game of the deploy key, its addresses and its recent builds')
    .addHelpText('after', '\nExample:\n  $ chauffeur info --json')
    .action(act(info));
}

const info: Handler<object> = async ({ connect, insist, signal }) => {
  const client = await connect();
  const data = await insist(() => client.call(getDeployInfo, {}, { signal }));
  const { urls, limits, usage } = data;
  const rows = data.recent_builds.map((build) => [
    build.build_id,
    build.version,
    `${build.os}/${build.arch}`,
    build.channel,
    build.state,
  ]);
  const lines = [
    ...tableOf([
      ['game', `${data.name} (${data.slug}, ${data.visibility})`],
      ['app id', data.app_id],
      ['deploy key', `${data.key_ref}…`],
      ['owner’s email', data.owner_verified ? 'verified' : 'not verified: uploads are refused until it is'],
      ['api', urls.api],
      ['upload', urls.upload],
      ['crashes', urls.crashes],
      ['events', urls.events],
      ['limits', limitsText(limits)],
      ['storage', storageText(usage.storage)],
      ['crashes today', crashesText(usage.crashes_today)],
    ]),
    '',
    ...(rows.length > 0
      ? tableOf([['BUILD', 'VERSION', 'PLATFORM', 'CHANNEL', 'STATE'], ...rows])
      : ['No builds yet.']),
  ];
  return { data, lines };
};

function limitsText(limits: { uploads_per_hour: number; open_sessions: number; file_bytes: number }): string {
  const count = (limit: number) => (limit === 0 ? 'any number of' : String(limit));
  return `${count(limits.uploads_per_hour)} uploads an hour, ${count(limits.open_sessions)} open sessions, ${sizeText(limits.file_bytes)} a file`;
}

type Usage = OutputOf<typeof getDeployInfo>['usage'];

function storageText({ used_bytes, limit_bytes }: Usage['storage']): string {
  if (limit_bytes === 0) return `${sizeText(used_bytes)} used`;
  const percent = Math.floor((100 * used_bytes) / limit_bytes);
  return `${sizeText(used_bytes)} of ${sizeText(limit_bytes)} used (${percent}%)`;
}

function crashesText({ reports, files, bytes }: Usage['crashes_today']): string {
  const part = ({ used, limit }: { used: number; limit: number }, format: (value: number) => string, what = '') =>
    `${format(used)}${limit === 0 ? '' : ` of ${format(limit)}`}${what}`;
  return `${part(reports, String, ' reports')}, ${part(files, String, ' files')}, ${part(bytes, sizeText)} stored`;
}
