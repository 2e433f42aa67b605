// What an API token may do. `tokenScopeOf` (operation.ts) says which scope an operation needs.
import type { Tag } from './tags.ts';

export const API_TOKEN_PREFIX = 'chf_api_';

/** The parts of the API that a token can have access to, in the order in which they are offered. */
export const TOKEN_AREAS = {
  games: 'Games and their pages: texts, images, videos, members of the beta, activity and quotas',
  builds: 'Builds, versions, files, symbols and channels',
  crashes: 'Crash reports and groups, DSNs, source code links and the issue tracker',
  analytics: 'Events, launch health and statistics',
  bugs: 'Bug tickets and replies to players',
  alerts: 'Alert rules, destinations and deliveries',
  team: 'Members, invitations, organisations, the audit log, and lists of deploy keys and upload tokens',
} as const;

export type TokenArea = keyof typeof TOKEN_AREAS;
export type TokenScope = `${TokenArea}:${'read' | 'write'}`;

export const TOKEN_SCOPES: readonly TokenScope[] = (Object.keys(TOKEN_AREAS) as TokenArea[]).flatMap(
  (area) => [`${area}:read`, `${area}:write`] as const,
);

/**
 * The area of each group of operations. Null for what only a person does, such as changing how they sign in, or
 * approving what a program asked for, and for what players and visitors do.
 */
export const TOKEN_AREA_OF: Readonly<Record<Tag, TokenArea | null>> = {
  builds: 'builds',
  versions: 'builds',
  uploads: 'builds',
  files: 'builds',
  symbols: 'builds',
  channels: 'builds',
  rollouts: 'builds',
  deployInfo: 'builds',
  issueTracker: 'crashes',
  source: 'crashes',
  crashes: 'crashes',
  dsns: 'crashes',
  impact: 'crashes',
  refusals: 'crashes',
  events: 'analytics',
  health: 'analytics',
  statistics: 'analytics',
  bugs: 'bugs',
  alerts: 'alerts',
  media: 'games',
  videos: 'games',
  overview: 'games',
  store: 'games',
  games: 'games',
  usage: 'games',
  organisations: 'team',
  invitations: 'team',
  deployKeys: 'team',
  audit: 'team',
  accounts: null,
  agents: null,
  apiTokens: null,
  approvals: null,
  cli: null,
  cliLogins: null,
  credentials: null,
  follows: null,
  moderation: null,
  operator: null,
  play: null,
  setup: null,
};

/** Whether a token with these scopes has the needed one. Write access includes read access. */
export function hasTokenScope(scopes: readonly string[], needed: TokenScope): boolean {
  return scopes.includes(needed) || scopes.includes(needed.replace(/:read$/, ':write'));
}
