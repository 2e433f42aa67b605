// `chauffeur info`: shows the game of the deploy key or login, its URLs, limits and recent builds.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { Command } from 'commander';
import { tableOf } from '../output.ts';
import { type Act, type Action, withExample } from './command.ts';

export function infoCommand(command: Command, act: Act): Command {
  return withExample(command, 'info --json').action(act(info));
}

const info: Action<object> = async ({ connect, logins, retryBriefly, signal }) => {
  const client = await connect();
  const data = await retryBriefly(() => client.call(getDeployInfo, {}, { signal }));
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
      ...formatCredential(data, logins.path),
      ['owner email', data.owner_verified ? 'verified' : 'not verified: uploads are rejected until it is'],
      ['api', urls.api],
      ['upload host', urls.upload],
      ['crashes', urls.crashes],
      ['events', urls.events],
      ['uploads', formatUploadLimit(limits.uploads_per_hour)],
      ['open sessions', formatSessionLimit(limits.open_sessions)],
      ['file size', `up to ${formatBytes(limits.file_bytes)}`],
      ['storage', formatStorage(usage.storage)],
      ['crash reports today', formatUsed(usage.crashes_today.reports, formatNumber)],
      ['crash files today', formatUsed(usage.crashes_today.files, formatNumber)],
      ['crash data today', formatUsed(usage.crashes_today.bytes, formatBytes)],
    ]),
    '',
    ...(rows.length > 0
      ? tableOf([['BUILD', 'VERSION', 'PLATFORM', 'CHANNEL', 'STATE'], ...rows])
      : ['No builds yet.']),
  ];
  return { data, lines };
};

/** An older server has no logins and no upload tokens, and names none. */
function formatCredential(
  { user, key_ref, token }: Pick<OutputOf<typeof getDeployInfo>, 'token' | 'key_ref'> & { user?: string | null },
  path: string,
): string[][] {
  if (token !== null && token !== undefined)
    return [
      ['upload token', `${token.name} (${key_ref}…)`],
      ['scopes', token.scopes.join(', ')],
      ['expires', token.expires_at?.slice(0, 10) ?? 'never'],
    ];
  if (user === null || user === undefined) return [['deploy key', `${key_ref}…`]];
  return [
    ['signed in as', user],
    ['login', `${key_ref}…, stored in ${path}`],
  ];
}

function formatUploadLimit(uploadsPerHour: number): string {
  return uploadsPerHour === 0 ? 'unlimited' : `up to ${formatNumber(uploadsPerHour)} per hour`;
}

function formatSessionLimit(openSessions: number): string {
  return openSessions === 0 ? 'unlimited' : `up to ${formatNumber(openSessions)}`;
}

type Usage = OutputOf<typeof getDeployInfo>['usage'];

function formatStorage({ used_bytes, limit_bytes }: Usage['storage']): string {
  if (limit_bytes === 0) return `${formatBytes(used_bytes)} used`;
  const percent = Math.floor((100 * used_bytes) / limit_bytes);
  return `${formatBytes(used_bytes)} of ${formatBytes(limit_bytes)} used (${percent}%)`;
}

function formatUsed({ used, limit }: { used: number; limit: number }, format: (value: number) => string): string {
  return limit === 0 ? format(used) : `${format(used)} of ${format(limit)}`;
}
