// All listed games: searched by text, filtered by OS and tag, and sorted.
import { formatOs } from '@chauffeur/contract/format';
import { OSES, type Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { browseGames, GAME_SORTS, type GameSort, listTags } from '@chauffeur/contract/operations/browse';
import { PAGES } from '@chauffeur/contract/pages';
import { GRID_SIZES, imageOfCard, writeGrid } from './game-cards.ts';
import { type Html, html } from './html.ts';
import { type CardGame, pathWith, preloadPicture } from './parts.ts';
import { writeSearch } from './search.ts';
import type { PublicPage, Visit } from './visit.ts';

type Filters = { readonly [Name in 'q' | 'os' | 'tag' | 'sort']?: string | undefined };

const SORT_NAMES: Readonly<Record<GameSort, string>> = {
  newest: 'Newest',
  updated: 'Recently updated',
  downloads: 'Most downloaded',
  name: 'Name',
};

export async function writeBrowsePage({ ctx, ask, caller, query }: Visit): Promise<PublicPage> {
  const { q, os, tag, sort, cursor } = query;
  const filters: Filters = { q: q?.trim().slice(0, 200) || undefined, os, tag, sort };
  const input = Object.fromEntries(Object.entries({ ...filters, cursor }).filter(([, value]) => value !== undefined));
  const [{ games, total, next_cursor }, { tags }] = await Promise.all([
    ask(browseGames, caller, input as { os?: Os }),
    ask(listTags, caller, {}),
  ]);
  const [first] = games;
  return {
    status: 200,
    head: {
      title: titleOf(filters),
      description: 'Find games by name, developer, operating system or tag.',
      // A search is not a page of its own for search engines; a tag is.
      url: ctx.publicUrl + pathWith(PAGES.browse, { tag }),
      isHidden: [filters.q, os, sort, cursor].some((value) => value !== undefined),
      links: preloadPicture(first && imageOfCard(first), GRID_SIZES),
      feed: { title: 'New games', url: `${ctx.publicUrl}/feeds/games.atom` },
    },
    search: null,
    main: html`<h1>${tag === undefined ? 'Browse games' : `Games tagged ${tag}`}</h1>
<div class="browse-filters">
${writeSearch({ q: filters.q, kept: { os, tag, sort }, where: 'page' })}
${writeOses(filters)}
</div>
${writeTagFilter(tags, filters)}
<section class="browse-results" aria-label="Results">
<div class="browse-head">${writeCount(total, filters)}${total > 1 && writeSorts(filters)}</div>
${writeResults(games, filters)}
${next_cursor !== null && writeMore(pathWith(PAGES.browse, { ...filters, cursor: next_cursor }))}</section>`,
  };
}

function titleOf({ q, tag }: Filters): string {
  if (q !== undefined) return `Search results for "${q}"`;
  return tag === undefined ? 'Browse games' : `Games tagged ${tag}`;
}

function writeOses({ q, os, tag, sort }: Filters): Html {
  const link = (value: string | undefined, label: string) =>
    html`<a href="${pathWith(PAGES.browse, { q, os: value, tag, sort })}"${value === os && html` aria-current="true"`}>${label}</a>`;
  return html`<nav class="choices" aria-label="OS">${link(undefined, 'Any OS')}${OSES.map((each) => link(each, formatOs(each)))}</nav>`;
}

/** The tags of the most games. The chosen one comes first, and its link removes it. */
function writeTagFilter(tags: readonly { readonly tag: string }[], { q, os, tag, sort }: Filters): Html | null {
  const others = tags.filter((each) => each.tag !== tag);
  if (tag === undefined && others.length === 0) return null;
  const chosen =
    tag !== undefined &&
    html`<a class="pill" aria-current="true" href="${pathWith(PAGES.browse, { q, os, sort })}" aria-label="Remove tag ${tag}">${tag} <span aria-hidden="true">×</span></a>`;
  const links = others.map(
    (each) => html`<a class="pill" href="${pathWith(PAGES.browse, { q, os, tag: each.tag, sort })}">${each.tag}</a>`,
  );
  return html`<nav class="browse-tags" aria-label="Tags">${chosen}${links}</nav>`;
}

function writeCount(total: number, { q }: Filters): Html {
  const count =
    total >= LIMITS.gamesCounted ? `${LIMITS.gamesCounted}+ games` : total === 1 ? '1 game' : `${total} games`;
  return html`<p class="dimmed" role="status">${q === undefined ? count : `${count} for "${q}"`}</p>`;
}

/** A search without a chosen order has the best matches first. */
function writeSorts({ q, os, tag, sort }: Filters): Html {
  const current = sort ?? (q === undefined ? 'newest' : undefined);
  const link = (value: string | undefined, label: string, isCurrent: boolean) =>
    html`<a href="${pathWith(PAGES.browse, { q, os, tag, sort: value })}"${isCurrent && html` aria-current="true"`}>${label}</a>`;
  const sorts = GAME_SORTS.map((each) =>
    link(each === 'newest' && q === undefined ? undefined : each, SORT_NAMES[each], each === current),
  );
  return html`<nav class="choices" aria-label="Sort by">${q !== undefined && link(undefined, 'Best match', current === undefined)}${sorts}</nav>`;
}

function writeResults(games: readonly CardGame[], filters: Filters): Html {
  if (games.length > 0) return writeGrid(games, { eager: 1 });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (!isFiltered) return html`<p>No games yet. Public games with a build on stable appear here.</p>`;
  return html`<p>No games match. <a href="${PAGES.browse}">Show all games</a></p>`;
}

/** The script of the page adds the games to the grid; without it, the link opens the next page. */
export function writeMore(path: string): Html {
  return html`<p class="more"><a class="button" href="${path}" rel="next" data-more>Show more games</a></p>`;
}
