// What the command palette offers: pages of the open game, other games, the account, the documentation, and actions.
import { DOC_GROUPS } from '@chauffeur/contract/docs';
import { SECTIONS } from '../sections.ts';
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
  /** The pages of the section Edit that the person can read. */
  readonly editPages: readonly { readonly path: string; readonly name: string }[];
  readonly mayPromote: boolean;
};

type Sources = {
  /** The open game. */
  readonly game: OpenGame | null;
  readonly games: readonly PaletteGame[];
  readonly isSignedIn: boolean;
  readonly isOperator: boolean;
};

const ACCOUNT_PAGES = [
  { href: '/dev', name: 'Your games' },
  { href: '/settings/profile', name: 'Profile' },
  { href: '/settings/security', name: 'Security', words: 'password passkeys second factor' },
  { href: '/settings/keys', name: 'Agent keys' },
  { href: '/settings/agents', name: 'Connected agents' },
];
const OPERATOR_PAGES = [
  { href: '/operator', name: 'Status' },
  { href: '/operator/jobs', name: 'Failed jobs' },
  { href: '/operator/users', name: 'Users' },
  { href: '/operator/store', name: 'Store', words: 'featured reported pages moderation' },
  { href: '/operator/games', name: 'Storage of games' },
  { href: '/operator/audit', name: 'Audit log' },
  { href: '/operator/settings', name: 'Settings' },
  { href: '/operator/setup', name: 'Set-up' },
];

const PROMOTE: PaletteItem = {
  kind: 'promote',
  id: 'promote',
  name: 'Promote build…',
  group: 'Actions',
  words: 'release channel',
};

export function listItems({ game, games, isSignedIn, isOperator }: Sources): PaletteItem[] {
  const page = (group: string) => (each: { href: string; name: string; words?: string; game?: PaletteGame }) =>
    ({ kind: 'page', id: each.href, group, ...each }) as const;
  return [
    ...(game === null
      ? []
      : [
          ...SECTIONS.filter(({ name }) => name !== 'Edit').map(({ to, name }) =>
            page(game.name)({ href: to.replace('$slug', game.slug), name }),
          ),
          ...(game.mayPromote ? [PROMOTE] : []),
          ...game.editPages.map(({ path, name }) =>
            page('Edit')({ href: `/dev/${game.slug}/edit/${path}`, name, words: game.name }),
          ),
          page(game.name)({ href: `/g/${game.slug}`, name: 'Game page', words: 'store' }),
        ]),
    ...(isSignedIn ? [page('Actions')({ href: '/dev?create=1', name: 'Create game…', words: 'new' })] : []),
    { kind: 'theme', id: 'theme', name: 'Switch between light and dark mode', group: 'Actions', words: 'theme' },
    ...games
      .filter(({ slug }) => slug !== game?.slug)
      .map((each) => page('Games')({ href: `/dev/${each.slug}`, name: each.name, game: each })),
    ...(isSignedIn ? ACCOUNT_PAGES.map(page('Account')) : []),
    ...(isOperator ? OPERATOR_PAGES.map(page('Operator')) : []),
    ...DOC_GROUPS.flatMap(({ name, pages }) =>
      pages.map(({ page: doc, title, description }) =>
        page('Docs')({ href: `/docs/${doc}`, name: title, words: `${name} ${description}` }),
      ),
    ),
  ];
}

/** As many as someone looks at. */
const MAX_SHOWN = 50;

/** The items that match, the best first, with those of one group together at the place of its best item. */
export function findItems(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const matches = items
    .map((item) => ({
      item,
      score: matchItem(query, { name: item.name, context: `${item.group} ${item.words ?? ''}` }),
    }))
    .filter((match): match is { item: PaletteItem; score: number } => match.score !== null)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_SHOWN)
    .map(({ item }) => item);
  return [...Map.groupBy(matches, ({ group }) => group).values()].flat();
}

/** What is typed can also be searched for. */
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
