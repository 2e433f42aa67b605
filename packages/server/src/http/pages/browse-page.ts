// All listed games, searched by text and filtered by OS and tag.
import { formatOs } from '@chauffeur/contract/format';
import { OSES, type Os } from '@chauffeur/contract/identity';
import { browseGames } from '@chauffeur/contract/operations/browse';
import { PAGES } from '@chauffeur/contract/pages';
import { type CardGame, GRID_SIZES, imageOfCard, writeGrid } from './game-cards.ts';
import { type Html, html } from './html.ts';
import { pathWith, preloadPicture } from './parts.ts';
import { writeSearch } from './search.ts';
import type { PublicPage, Visit } from './visit.ts';

type Filters = { readonly q?: string | undefined; readonly os?: string | undefined; readonly tag?: string | undefined };

export async function writeBrowsePage({ ctx, ask, caller, query }: Visit): Promise<PublicPage> {
  const { q, os, tag, cursor } = query;
  const filters: Filters = { q: q?.trim().slice(0, 200) || undefined, os, tag };
  const input = Object.fromEntries(Object.entries({ ...filters, cursor }).filter(([, value]) => value !== undefined));
  const { games, next_cursor } = await ask(browseGames, caller, input as { os?: Os });
  const [first] = games;
  return {
    status: 200,
    head: {
      title: titleOf(filters),
      description: 'Find games by name, developer, operating system or tag.',
      // A search is not a page of its own for search engines; a tag is.
      url: ctx.publicUrl + pathWith(PAGES.browse, { tag }),
      isHidden: filters.q !== undefined || os !== undefined || cursor !== undefined,
      links: preloadPicture(first && imageOfCard(first), GRID_SIZES),
      feed: { title: 'New games', url: `${ctx.publicUrl}/feeds/games.atom` },
    },
    search: null,
    main: html`<h1>${tag === undefined ? 'Browse games' : `Games tagged ${tag}`}</h1>
<div class="browse-filters">
${writeSearch({ q: filters.q, kept: { os, tag }, where: 'page' })}
${writeOses(filters)}
${tag !== undefined && html`<a class="pill" href="${pathWith(PAGES.browse, { q: filters.q, os })}" aria-label="Remove tag ${tag}">${tag} <span aria-hidden="true">×</span></a>`}
</div>
<section aria-label="Results">${writeResults(games, filters)}
${next_cursor !== null && writeMore(pathWith(PAGES.browse, { ...filters, cursor: next_cursor }))}</section>`,
  };
}

function titleOf({ q, tag }: Filters): string {
  if (q !== undefined) return `Search results for "${q}"`;
  return tag === undefined ? 'Browse games' : `Games tagged ${tag}`;
}

function writeOses({ q, os, tag }: Filters): Html {
  const link = (value: string | undefined, label: string) =>
    html`<a href="${pathWith(PAGES.browse, { q, os: value, tag })}"${value === os && html` aria-current="true"`}>${label}</a>`;
  return html`<nav class="choices" aria-label="OS">${link(undefined, 'Any OS')}${OSES.map((each) => link(each, formatOs(each)))}</nav>`;
}

function writeResults(games: readonly CardGame[], filters: Filters): Html {
  if (games.length > 0) return writeGrid(games, { eager: 1 });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (!isFiltered) return html`<p>No games yet. Public games with a build on stable appear here.</p>`;
  return html`<p role="status">No games match. <a href="${PAGES.browse}">Show all games</a></p>`;
}

/** The script of the page adds the games to the grid; without it, the link opens the next page. */
export function writeMore(path: string): Html {
  return html`<p class="more"><a class="button" href="${path}" rel="next" data-more>Show more games</a></p>`;
}
