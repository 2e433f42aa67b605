// `chauffeur open`: opens a page of the game in the browser, or prints its address.
import { getDeployInfo } from '@chauffeur/contract/operations/deploy-info';
import type { Command } from 'commander';
import { type Act, type Action, withExample } from './command.ts';
import { openInBrowser } from './login.ts';

const PAGES: Readonly<Record<string, string>> = {
  overview: '',
  builds: '/builds',
  versions: '/versions',
  channels: '/channels',
  crashes: '/crashes',
  bugs: '/bugs',
  health: '/health',
  events: '/events',
  statistics: '/statistics',
  settings: '/settings',
};

export function openCommand(command: Command, act: Act): Command {
  return withExample(command, 'open crashes')
    .argument('[page]', `${Object.keys(PAGES).join(', ')}, store, the id of a build, or a version`, 'overview')
    .action(act(open));
}

const open: Action<object> = async ({ connect, env, output, retryBriefly, signal }, _options, page = 'overview') => {
  const client = await connect();
  const { slug, url: store } = await retryBriefly(() => client.call(getDeployInfo, {}, { signal }));
  const url = page === 'store' ? store : new URL(`/dev/${slug}${pathOf(page)}`, store).href;
  if (!output.json && process.stdout.isTTY === true) openInBrowser(url, env);
  return { data: { url }, lines: [url] };
};

const BUILD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The path below the game. What is neither a page nor the id of a build is a version. */
function pathOf(page: string): string {
  if (Object.hasOwn(PAGES, page)) return PAGES[page]!;
  if (BUILD_ID.test(page)) return `/builds/${page}`;
  return `/version?version=${encodeURIComponent(page)}`;
}
