// Lists of public games: all of them, searched by text, filtered by OS and tag, and sorted; and those of a developer.
import { formatOs } from '@chauffeur/contract/format';
import { OSES, type Os } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { browseGames, GAME_SORTS, getDeveloper, listTags } from '@chauffeur/contract/operations/shelves';
import { PAGES } from '@chauffeur/contract/pages';
import type { Texts } from '../texts.ts';
import { GRID_SIZES, imageOfCard, writeGrid, writeNoGames } from './game-cards.ts';
import { type Html, html } from './html.ts';
import { type CardGame, feedAddress, pathWith, preloadPicture, writeDay, writeSearch } from './parts.ts';
import type { PublicPage, Visit } from './visit.ts';

type Filters = { readonly [Name in 'q' | 'os' | 'tag' | 'sort']?: string | undefined };

export async function writeBrowsePage({ ctx, ask, caller, query, texts }: Visit): Promise<PublicPage> {
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
      title: titleOf(filters, texts),
      description: texts.t('browse.description'),
      // A search is not a page for search engines; a tag is.
      url: ctx.publicUrl + pathWith(PAGES.browse, { tag }),
      isHidden: [filters.q, os, sort, cursor].some((value) => value !== undefined),
      links: preloadPicture(first && imageOfCard(first), GRID_SIZES),
      feed: { title: texts.t('home.feed'), url: feedAddress(`${ctx.publicUrl}/feeds/games.atom`, texts.language) },
    },
    search: null,
    main: html`<h1>${titleOf({ tag }, texts)}</h1>
<div class="browse-filters">
${writeSearch({ texts, q: filters.q, kept: { os, tag, sort }, where: 'page' })}
${writeOses(filters, texts)}
</div>
${writeTagFilter(tags, filters, texts)}
<section class="browse-results" aria-label="${texts.t('browse.results')}">
${total > 0 && html`<div class="browse-head">${writeCount(total, filters, texts)}${total > 1 && writeSorts(filters, texts)}</div>`}
${writeResults(games, filters, texts)}
${next_cursor !== null && writeMore(pathWith(PAGES.browse, { ...filters, cursor: next_cursor }), texts)}</section>`,
  };
}

function titleOf({ q, tag }: Filters, texts: Texts): string {
  if (q !== undefined) return texts.t('browse.found', { text: q });
  return tag === undefined ? texts.t('browse.title') : texts.t('browse.tagged', { tag });
}

function writeOses({ q, os, tag, sort }: Filters, texts: Texts): Html {
  const link = (value: string | undefined, label: string) =>
    html`<a href="${pathWith(PAGES.browse, { q, os: value, tag, sort })}"${value === os && html` aria-current="true"`}>${label}</a>`;
  return html`<nav class="choices" aria-label="${texts.t('browse.os')}">${link(undefined, texts.t('browse.anyOs'))}${OSES.map((each) => link(each, formatOs(each)))}</nav>`;
}

/** The tags of the most games. The chosen one comes first, and its link removes it. */
function writeTagFilter(
  tags: readonly { readonly tag: string }[],
  { q, os, tag, sort }: Filters,
  texts: Texts,
): Html | null {
  const others = tags.filter((each) => each.tag !== tag);
  if (tag === undefined && others.length === 0) return null;
  const chosen =
    tag !== undefined &&
    html`<a class="pill" aria-current="true" href="${pathWith(PAGES.browse, { q, os, sort })}" aria-label="${texts.t('browse.removeTag', { tag })}">${tag} <span aria-hidden="true">×</span></a>`;
  const links = others.map(
    (each) => html`<a class="pill" href="${pathWith(PAGES.browse, { q, os, tag: each.tag, sort })}">${each.tag}</a>`,
  );
  return html`<nav class="browse-tags" aria-label="${texts.t('tags')}">${chosen}${links}</nav>`;
}

function writeCount(total: number, { q }: Filters, texts: Texts): Html {
  const key = total >= LIMITS.gamesCounted ? 'browse.countAtLeast' : 'browse.count';
  const games = texts.t(key, { count: Math.min(total, LIMITS.gamesCounted) });
  return html`<p class="dimmed" role="status">${q === undefined ? games : texts.t('browse.countFor', { games, text: q })}</p>`;
}

/** A search without a chosen order has the best matches first. */
function writeSorts({ q, os, tag, sort }: Filters, texts: Texts): Html {
  const current = sort ?? (q === undefined ? 'newest' : undefined);
  const link = (value: string | undefined, label: string, isCurrent: boolean) =>
    html`<a href="${pathWith(PAGES.browse, { q, os, tag, sort: value })}"${isCurrent && html` aria-current="true"`}>${label}</a>`;
  const sorts = GAME_SORTS.map((each) =>
    link(each === 'newest' && q === undefined ? undefined : each, texts.t(`browse.sort.${each}`), each === current),
  );
  return html`<nav class="choices" aria-label="${texts.t('browse.sort')}">${q !== undefined && link(undefined, texts.t('browse.sort.best'), current === undefined)}${sorts}</nav>`;
}

function writeResults(games: readonly CardGame[], filters: Filters, texts: Texts): Html {
  if (games.length > 0) return writeGrid(games, texts, { eager: 1 });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (!isFiltered) return writeNoGames(texts);
  return html`<div class="empty" role="status"><h2>${texts.t('browse.noMatch')}</h2>
<p class="dimmed">${texts.t('browse.noMatch.text')}</p>
<a class="button filled" href="${PAGES.browse}">${texts.t('browse.all')}</a></div>`;
}

/** The script of the page adds the games to the grid; without it, the link opens the next page. */
function writeMore(path: string, texts: Texts): Html {
  return html`<p class="more"><a class="button" href="${path}" rel="next" data-more>${texts.t('browse.more')}</a></p>`;
}

export async function writeDeveloperPage({ ctx, ask, caller, params, query, texts }: Visit): Promise<PublicPage> {
  const { handle = '' } = params;
  const { cursor } = query;
  const developer = await ask(getDeveloper, caller, { handle, ...(cursor !== undefined && { cursor }) });
  const { name, games, next_cursor } = developer;
  const [first] = games;
  const image = first === undefined ? null : (first.cover ?? first.thumbnail);
  const path = `/@${developer.handle}`;
  return {
    status: 200,
    head: {
      title: name,
      description: texts.t('developer.description', { name }),
      url: ctx.publicUrl + path,
      ...(image !== null && { image: { url: image.url, width: image.width, height: image.height, alt: name } }),
      // A developer without a game has nothing to index yet.
      isHidden: first === undefined || cursor !== undefined,
      links: preloadPicture(first && imageOfCard(first), GRID_SIZES),
    },
    main: html`<header class="developer">
<h1><bdi>${name}</bdi></h1>
<p class="dimmed">@${developer.handle} · ${texts.html('developer.joined', { day: writeDay(developer.since, texts) })}</p>
</header>
<section aria-label="${texts.t('home.title')}">${
      games.length > 0 ? writeGrid(games, texts, { eager: 1 }) : html`<p>${texts.t('developer.none')}</p>`
    }
${next_cursor !== null && writeMore(pathWith(path, { cursor: next_cursor }), texts)}</section>`,
  };
}
