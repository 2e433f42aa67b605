// The home page of the store: search, tags, a featured game, and shelves of games.
import { listTags } from '@chauffeur/contract/operations/browse';
import { getFeatured, type ShelfName } from '@chauffeur/contract/operations/shelves';
import { PAGES } from '@chauffeur/contract/pages';
import { listOsNames } from '@chauffeur/contract/store-format';
import { readSetup } from '../../features/setup/setup.ts';
import { listShelf } from '../../features/store/store.ts';
import { dealGames } from './deal-games.ts';
import { writeShelf } from './game-cards.ts';
import { type Html, html } from './html.ts';
import { type CardGame, pathWith, preloadPicture, writeHealth, writePicture } from './parts.ts';
import { writeSearch } from './search.ts';
import type { PublicPage, Visit } from './visit.ts';

/** docs/shelves.md defines the shelves. */
const SHELVES: readonly { shelf: ShelfName; title: string; description: string }[] = [
  { shelf: 'tonight', title: 'Tonight', description: 'Small downloads that start reliably' },
  {
    shelf: 'unheard_of',
    title: 'Unheard of',
    description: 'New games that few have played. A new selection every day.',
  },
  { shelf: 'new', title: 'New', description: 'Latest releases' },
  { shelf: 'recently_updated', title: 'Recently updated', description: 'Games with a new stable build' },
];

const DESCRIPTION = 'Games by independent developers. Every download shows where it came from and how it was scanned.';
const HERO_SIZES = '(min-width: 76em) 44rem, (min-width: 56em) 60vw, 94vw';

/** Of those with the most games. */
const SHOWN_TAGS = 12;

export async function writeHomePage({ ctx, ask, caller }: Visit): Promise<PublicPage> {
  const [{ game: featured }, { tags }, shelves] = await Promise.all([
    ask(getFeatured, caller, {}),
    ask(listTags, caller, {}),
    Promise.all(SHELVES.map(async (shelf) => ({ ...shelf, games: await listShelf(ctx, shelf.shelf) }))),
  ]);
  const shown = dealGames(shelves, featured?.game_uid);
  const setup = featured !== null || shown.length > 0 ? null : await readSetup(ctx);
  return {
    status: 200,
    head: {
      title: '',
      description: DESCRIPTION,
      url: `${ctx.publicUrl}/`,
      links: preloadPicture(featured?.cover, HERO_SIZES),
      feed: { title: 'New games', url: `${ctx.publicUrl}/feeds/games.atom` },
    },
    search: null,
    main: html`<div class="home-top">
<h1>Games</h1>
${writeSearch({ where: 'page' })}
<a href="${PAGES.browse}">Browse all games</a>
</div>
${tags.length > 0 && writeTags(tags.slice(0, SHOWN_TAGS))}
${featured !== null && writeFeatured(featured)}
${setup !== null && writeEmpty(setup)}
${shown.map(writeSection)}`,
  };
}

type Shelf = (typeof SHELVES)[number] & { readonly games: readonly CardGame[] };

function writeTags(tags: readonly { readonly tag: string }[]): Html {
  const links = tags.map(({ tag }) => html`<a class="pill" href="${pathWith(PAGES.browse, { tag })}">${tag}</a>`);
  return html`<nav class="browse-tags" aria-label="Tags">${links}</nav>`;
}

function writeFeatured(game: CardGame): Html {
  return html`<article class="featured" aria-label="Featured game">
<a class="featured-image" href="/g/${game.slug}" tabindex="-1" aria-hidden="true">${game.cover !== null && writePicture(game.cover, { sizes: HERO_SIZES, alt: '', priority: 'first' })}</a>
<div class="featured-text">
<h2><a href="/g/${game.slug}"><bdi>${game.name}</bdi></a></h2>
<p class="dimmed">By <bdi>${game.developer}</bdi></p>
<p class="featured-tagline">${game.tagline}</p>
<p class="card-facts"><span>${listOsNames(game.platforms).join(' · ')}</span>${writeHealth(game)}</p>
<a class="button large filled" href="/g/${game.slug}">${game.plays_in_browser ? 'Play or download' : 'See the game'}</a>
</div>
</article>`;
}

function writeSection({ shelf, title, description, games }: Shelf): Html {
  return html`<section class="home-shelf" aria-labelledby="shelf-${shelf}">
<h2 id="shelf-${shelf}">${title}</h2>
<p class="dimmed">${description}</p>
${writeShelf(games)}
</section>`;
}

/** A new installation first needs an account. */
function writeEmpty({ open, has_accounts }: { open: boolean; has_accounts: boolean }): Html {
  return html`${
    open &&
    !has_accounts &&
    html`<aside class="notice" data-tone="busy"><h2>This server isn't set up yet</h2>
<p>Open the link that it printed when it started, or <a href="${PAGES.setup}">enter its set-up code</a>.</p></aside>`
  }<p>No games yet. Public games with a build on stable appear here.</p>`;
}
