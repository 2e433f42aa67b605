// Games in lists: image, name, tagline, OS and launch health.
import { PAGES } from '@chauffeur/contract/pages';
import { listOsNames } from '@chauffeur/contract/store-format';
import type { Texts } from '../texts.ts';
import { type Html, html } from './html.ts';
import { type CardGame, type Picture, writeHealth, writePicture } from './parts.ts';

/** Match the widths of `.grid` and `.shelf` in cards.css. */
export const GRID_SIZES =
  '(min-width: 108em) 21.5rem, (min-width: 76em) 17.5rem, (min-width: 48em) 30vw, (min-width: 26em) 46vw, 92vw';
const SHELF_SIZES = '(min-width: 108em) 21.5rem, (min-width: 76em) 17.5rem, 15rem';

/** The first images of a page load at once; the others when they scroll into view. */
export function writeGrid(games: readonly CardGame[], texts: Texts, { eager = 0 } = {}): Html {
  const cards = games.map((game, index) => html`<li>${writeCard(game, texts, GRID_SIZES, index < eager)}</li>`);
  return html`<ul class="grid" data-grid>${cards}</ul>`;
}

/** One row that scrolls sideways if it is wider than the page. */
export function writeShelf(games: readonly CardGame[], texts: Texts): Html {
  return html`<ul class="shelf" tabindex="0">${games.map((game) => html`<li>${writeCard(game, texts, SHELF_SIZES, false)}</li>`)}</ul>`;
}

/** What a store without games shows. */
export function writeNoGames(texts: Texts): Html {
  return html`<div class="empty"><h2>${texts.t('games.none')}</h2>
<p class="dimmed">${texts.t('games.none.text')}</p>
<a class="button filled" href="${PAGES.cli}">${texts.t('site.publish')}</a></div>`;
}

/** The image of a game in a list. */
export function imageOfCard({ thumbnail, cover }: Pick<CardGame, 'thumbnail' | 'cover'>): Picture | null {
  return thumbnail ?? cover;
}

function writeCard(game: CardGame, texts: Texts, sizes: string, isFirst: boolean): Html {
  const image = imageOfCard(game);
  const priority = isFirst ? 'first' : 'later';
  return html`<article class="card">
<a href="/g/${game.slug}"><span class="card-image">${image !== null && writePicture(image, { sizes, alt: '', priority })}${game.plays_in_browser && html`<span class="card-note">${texts.t('card.plays')}</span>`}</span><bdi class="card-name">${game.name}</bdi></a>
<p class="card-tagline">${game.tagline}</p>
<p class="card-facts"><span>${listOsNames(game.platforms).join(' · ')}</span>${writeHealth(game, texts)}</p>
</article>`;
}
