// `chauffeur info`: shows the game of the deploy key, its addresses and its recent builds.
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
  const { urls, limits } = data;
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
