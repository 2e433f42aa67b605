// What the command palette offers: pages of the open game, other games, the account, the documentation, and actions.
import { DOC_GROUPS } from '@chauffeur/contract/docs';
import { PAGES } from '@chauffeur/contract/pages';
import { SECTIONS } from '../game-sections.ts';
import { matchItem } from './fuzzy-match.ts';

export type PaletteItem = {
  /** Unique in the list. */
  readonly id: string;
  readonly name: string;
  /** The heading that the item is under, which is searched as well. */
  readonly group: string;
  /** Other words that someone may search for. */
  readonly words?: string;
  /** The game that it opens. */
  readonly game?: PaletteGame;
} & (
  | { readonly kind: 'page'; readonly href: string }
  /** Opens the list of builds to promote. */
  | { readonly kind: 'promote' }
  | { readonly kind: 'theme' }
);

type PaletteGame = {
  readonly game_uid: string;
  readonly slug: string;
  readonly name: string;
  readonly picture: string | null;
};

type OpenGame = {
  readonly slug: string;
  readonly name: string;
  /** The pages of its settings that the person can read. */
  readonly settingsPages: readonly { readonly path: string; readonly name: string; readonly words: string }[];
  readonly mayPromote: boolean;
  /** The newest ones. */
  readonly versions: readonly string[];
};

type Sources = {
  /** The open game. */
  readonly game: OpenGame | null;
  readonly games: readonly PaletteGame[];
  readonly isSignedIn: boolean;
  readonly isOperator: boolean;
};

/** Other words that people search for. They aren't in the sections, because every page of a game loads those. */
const SECTION_WORDS: Readonly<Record<(typeof SECTIONS)[number]['name'], string>> = {
  Overview: 'home dashboard activity usage quota storage limits devices',
  Builds: 'uploads releases files compare ship push symbols changelog',
  Channels: 'roll back rollback undo release live stable beta testers members expire history',
  Crashes: 'errors exceptions stack traces dumps minidumps reports groups triage search',
  Bugs: 'tickets feedback player reports support issues',
  Health: 'launch health crash-free stability boot start times bands compare versions',
  Events: 'analytics telemetry metrics explore devices privacy gdpr delete player',
  Statistics: 'views visitors downloads plays referrers traffic',
  Settings: '',
};

const ACCOUNT_PAGES = [
  { href: '/dev', name: 'Your games', words: 'projects organisations studio' },
  { href: '/settings/profile', name: 'Profile', words: 'name email handle developer page delete account' },
  {
    href: '/settings/security',
    name: 'Security',
    words: 'password passkeys second factor two-factor 2fa mfa authenticator backup codes sessions sign out everywhere',
  },
  { href: '/settings/keys', name: 'Personal keys', words: 'agents mcp command logins computers revoke' },
  { href: '/settings/tokens', name: 'API tokens', words: 'rest script bearer scopes personal access token expiry' },
  { href: '/settings/agents', name: 'Connected agents', words: 'mcp url ai assistant claude oauth consent' },
  { href: PAGES.cli, name: 'Install chauffeur', words: 'command cli terminal download login sign in push upload' },
];
const OPERATOR_PAGES = [
  { href: '/operator', name: 'Status', words: 'health queues workers scanner database' },
  { href: '/operator/jobs', name: 'Failed jobs', words: 'errors retry' },
  { href: '/operator/users', name: 'Accounts', words: 'users people disable ban operators' },
  { href: '/operator/store', name: 'Store', words: 'featured reported pages moderation hide' },
  { href: '/operator/games', name: 'Storage by game', words: 'quota limits disk space' },
  { href: '/operator/audit', name: 'Audit log', words: 'history changes activity' },
  { href: '/operator/settings', name: 'Server settings', words: 'environment variables configuration limits' },
  { href: '/operator/setup', name: 'Set-up', words: 'installation mail email smtp s3 backups test' },
];

const PROMOTE: PaletteItem = {
  kind: 'promote',
  id: 'promote',
  name: 'Promote build…',
  group: 'Actions',
  words: 'release publish live channel',
};

export function listItems({ game, games, isSignedIn, isOperator }: Sources): PaletteItem[] {
  const page = (group: string) => (each: { href: string; name: string; words?: string; game?: PaletteGame }) =>
    ({ kind: 'page', id: each.href, group, ...each }) as const;
  return [
    ...(game === null
      ? []
      : [
          ...SECTIONS.filter(({ name }) => name !== 'Settings').map(({ to, name }) =>
            page(game.name)({ href: to.replace('$slug', game.slug), name, words: SECTION_WORDS[name] }),
          ),
          ...(game.mayPromote ? [PROMOTE] : []),
          ...game.settingsPages.map(({ path, name, words }) =>
            page('Settings')({ href: `/dev/${game.slug}/settings/${path}`, name, words: `${words} edit ${game.name}` }),
          ),
          page(game.name)({ href: `/g/${game.slug}`, name: 'Game page', words: 'store public players' }),
          page(game.name)({ href: `/dev/${game.slug}/versions`, name: 'Versions', words: 'releases builds platforms' }),
          ...game.versions.map((version) =>
            page('Versions')({
              href: `/dev/${game.slug}/version?${new URLSearchParams({ version })}`,
              name: `Version ${version}`,
              words: 'release promote roll back delete health',
            }),
          ),
        ]),
    ...(isSignedIn ? [page('Actions')({ href: '/dev?create=1', name: 'Create game…', words: 'new add project' })] : []),
    {
      kind: 'theme',
      id: 'theme',
      name: 'Switch between light and dark mode',
      group: 'Actions',
      words: 'theme appearance',
    },
    ...games
      .filter(({ slug }) => slug !== game?.slug)
      .map((each) => page('Games')({ href: `/dev/${each.slug}`, name: each.name, game: each })),
    ...(isSignedIn ? ACCOUNT_PAGES.map(page('Account')) : []),
    ...(isOperator ? OPERATOR_PAGES.map(page('Operator')) : []),
    ...DOC_GROUPS.flatMap(({ name, pages }) =>
      pages.map(({ page: doc, title, description }) =>
        page(DOCS)({ href: `/docs/${doc}`, name: title, words: `${name} ${description}` }),
      ),
    ),
  ];
}

const DOCS = 'Docs';
/** A page that does something comes before one that explains it. */
const DOCS_WEIGHT = 0.4;

/** More items than someone looks at. */
const MAX_SHOWN = 50;

/** The items that match, the best first, with those of one group together at the place of its best item. */
export function findItems(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const matches = items
    .map((item) => ({
      item,
      score: matchItem(query, { name: item.name, context: `${item.words ?? ''} ${item.group}` }),
    }))
    .filter((match): match is { item: PaletteItem; score: number } => match.score !== null)
    .map((match) => (match.item.group === DOCS ? { ...match, score: match.score * DOCS_WEIGHT } : match))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_SHOWN)
    .map(({ item }) => item);
  return [...Map.groupBy(matches, ({ group }) => group).values()].flat();
}

/** The items that search for what was typed. */
export function searchItems(query: string, game: Sources['game']): PaletteItem[] {
  if (query.trim() === '') return [];
  const search = (href: string, name: string): PaletteItem => ({ kind: 'page', id: href, href, name, group: 'Search' });
  const encoded = encodeURIComponent(query.trim());
  return [
    ...(game === null
      ? []
      : [search(`/dev/${game.slug}/crashes?q=${encoded}`, `Search crashes for “${query.trim()}”`)]),
    search(`/docs/search?q=${encoded}`, `Search the documentation for “${query.trim()}”`),
  ];
}
