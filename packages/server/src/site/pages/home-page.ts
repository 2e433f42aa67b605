// The home page of the store: search, tags, a featured game, and shelves of games.
import { getFeatured, listTags, type ShelfName } from '@chauffeur/contract/operations/shelves';
import { PAGES } from '@chauffeur/contract/pages';
import { listOsNames } from '@chauffeur/contract/store-format';
import { readSetup } from '../../operate/setup/setup.ts';
import { listShelf } from '../../shop/store/store.ts';
import type { Texts } from '../texts.ts';
import { dealGames } from './deal-games.ts';
import { writeNoGames, writeShelf } from './game-cards.ts';
import { type Html, html } from './html.ts';
import {
  type CardGame,
  feedAddress,
  pathWith,
  preloadPicture,
  writeHealth,
  writePicture,
  writeSearch,
} from './parts.ts';
import type { PublicPage, Visit } from './visit.ts';

/** docs/shelves.md defines the shelves. */
const SHELVES: readonly ShelfName[] = ['tonight', 'unheard_of', 'new', 'recently_updated'];

const HERO_SIZES = '(min-width: 76em) 44rem, (min-width: 56em) 60vw, 94vw';

/** The tags with the most games are shown. */
const SHOWN_TAGS = 12;

export async function writeHomePage({ ctx, ask, caller, texts }: Visit): Promise<PublicPage> {
  const [{ game: featured }, { tags }, shelves] = await Promise.all([
    ask(getFeatured, caller, {}),
    ask(listTags, caller, {}),
    Promise.all(SHELVES.map(async (shelf) => ({ shelf, games: await listShelf(ctx, shelf) }))),
  ]);
  const shown = dealGames(shelves, featured?.game_uid);
  const setup = featured !== null || shown.length > 0 ? null : await readSetup(ctx);
  return {
    status: 200,
    head: {
      title: '',
      description: texts.t('home.description'),
      url: `${ctx.publicUrl}/`,
      links: preloadPicture(featured?.cover, HERO_SIZES),
      feed: { title: texts.t('home.feed'), url: feedAddress(`${ctx.publicUrl}/feeds/games.atom`, texts.language) },
    },
    search: null,
    main: html`<div class="home-top">
<h1>${texts.t('home.title')}</h1>
${setup === null && html`${writeSearch({ texts, where: 'page' })}<a href="${PAGES.browse}">${texts.t('home.browse')}</a>`}
</div>
${tags.length > 0 && writeTags(tags.slice(0, SHOWN_TAGS), texts)}
${featured !== null && writeFeatured(featured, texts)}
${setup !== null && writeEmpty(setup, texts)}
${shown.map((shelf) => writeSection(shelf, texts))}`,
  };
}

type Shelf = { readonly shelf: ShelfName; readonly games: readonly CardGame[] };

function writeTags(tags: readonly { readonly tag: string }[], texts: Texts): Html {
  const links = tags.map(({ tag }) => html`<a class="pill" href="${pathWith(PAGES.browse, { tag })}">${tag}</a>`);
  return html`<nav class="browse-tags" aria-label="${texts.t('tags')}">${links}</nav>`;
}

function writeFeatured(game: CardGame, texts: Texts): Html {
  return html`<article class="featured" aria-label="${texts.t('home.featured')}">
<a class="featured-image" href="/g/${game.slug}" tabindex="-1" aria-hidden="true">${game.cover !== null && writePicture(game.cover, { sizes: HERO_SIZES, alt: '', priority: 'first' })}</a>
<div class="featured-text">
<h2><a href="/g/${game.slug}"><bdi>${game.name}</bdi></a></h2>
<p class="dimmed">${texts.html('by', { developer: html`<bdi>${game.developer}</bdi>` })}</p>
<p class="featured-tagline">${game.tagline}</p>
<p class="card-facts"><span>${listOsNames(game.platforms).join(' · ')}</span>${writeHealth(game, texts)}</p>
<a class="button large filled" href="/g/${game.slug}">${texts.t(game.plays_in_browser ? 'home.play' : 'home.see')}</a>
</div>
</article>`;
}

function writeSection({ shelf, games }: Shelf, texts: Texts): Html {
  return html`<section class="home-shelf" aria-labelledby="shelf-${shelf}">
<h2 id="shelf-${shelf}">${texts.t(`shelf.${shelf}`)}</h2>
<p class="dimmed">${texts.t(`shelf.${shelf}.description`)}</p>
${writeShelf(games, texts)}
</section>`;
}

/** A new installation first needs an account. */
function writeEmpty({ open, has_accounts }: { open: boolean; has_accounts: boolean }, texts: Texts): Html {
  return html`${
    open &&
    !has_accounts &&
    html`<aside class="notice" data-tone="busy"><h2>${texts.t('home.setUp.title')}</h2>
<p>${texts.html('home.setUp', { link: (text) => html`<a href="${PAGES.setup}">${text}</a>` })}</p></aside>`
  }${writeNoGames(texts)}`;
}
