// The addresses of chats' webhooks. Anything else that is called a Discord webhook is a mistake, or shares what happens
// to a game with a stranger.
import type { DESTINATION_KINDS } from '@chauffeur/contract/operations/alerts';

type DestinationKind = (typeof DESTINATION_KINDS)[number];

type Chat = {
  readonly hosts: RegExp;
  readonly path: RegExp;
  /** How to get such an address, as a sentence. */
  readonly remedy: string;
};

const CHATS: Readonly<Record<Exclude<DestinationKind, 'webhook'>, Chat>> = {
  // Includes Slack for governments. The addresses of workflows take messages of another form.
  slack: {
    hosts: /^hooks\.slack(-gov)?\.com$/,
    path: /^\/services\/[^/]+\/[^/]+\/[^/]+$/,
    remedy: 'Use the URL of an incoming webhook of a Slack app, which begins with https://hooks.slack.com/services/.',
  },
  // Includes the hosts of its test versions, and the host from before 2019. `/slack` and `/github` after the token take
  // messages of another form.
  discord: {
    hosts: /^((ptb|canary)\.)?discord(app)?\.com$/,
    path: /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+\/?$/,
    remedy: 'Copy the URL of a webhook in the settings of a channel. It begins with https://discord.com/api/webhooks/.',
  },
  // Workflows of Power Automate, with the addresses since 2025 and before, and the connectors that they replace. Clouds
  // of governments have their own domains.
  teams: {
    hosts: /^[\w.-]+\.(logic\.azure\.(com|us|cn)|api\.powerplatform\.(com|us|cn)|webhook\.office(365)?\.(com|us))$/,
    path: /^\/./,
    remedy: 'Use the URL of the workflow “Post to a channel when a webhook request is received” of the channel.',
  },
};

/** What to do instead, if this is not an address of such a chat; null if it is one. */
export function findChatProblem(kind: DestinationKind, { protocol, hostname, port, pathname }: URL): string | null {
  if (kind === 'webhook') return null;
  const { hosts, path, remedy } = CHATS[kind];
  return protocol === 'https:' && port === '' && hosts.test(hostname) && path.test(pathname) ? null : remedy;
}
