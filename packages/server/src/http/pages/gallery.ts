// The images of a game: a large one and a strip of small ones. Without JavaScript, each links to its file; the script of
// the page shows small ones in the large place, and the large one in the whole window.
import { type Html, html } from './html.ts';
import { type Picture, writePicture } from './parts.ts';
import type { Texts } from './texts/texts.ts';

export const GALLERY_SIZES =
  '(min-width: 76em) 50rem, (min-width: 62em) calc(100vw - 26rem), (min-width: 46em) calc(100vw - 22rem), 100vw';

export function writeGallery(pictures: readonly Picture[], gameName: string, texts: Texts): Html | null {
  const [first] = pictures;
  if (first === undefined) return null;
  return html`<section class="gallery" aria-label="${texts.t('game.images', { game: gameName })}" data-gallery="${gameName}">
<a class="gallery-large" href="${first.url}" aria-label="${texts.t('game.image.enlarge', { no: 1, total: pictures.length })}" data-large>${writePicture(first, { sizes: GALLERY_SIZES, alt: '', priority: 'first' })}</a>
${pictures.length > 1 && html`<ul class="gallery-strip">${pictures.map((picture, index) => writeSmall(picture, index, texts))}</ul>`}
</section>`;
}

function writeSmall(picture: Picture, index: number, texts: Texts): Html {
  const current = index === 0 && html` aria-current="true"`;
  return html`<li><a href="${picture.url}" aria-label="${texts.t('game.image.show', { no: index + 1 })}"${current} data-small>${writePicture(picture, { sizes: '120px', alt: '', priority: 'later' })}</a></li>`;
}
