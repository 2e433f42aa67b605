// The images and videos of a game. Without JavaScript, they are links to their files and pages.
//
// The gallery has a large image and a strip of small ones. The script of the page shows small ones in the large place, and
// the large one in the whole window. The browser plays uploaded videos without a script. Of videos on other websites,
// nothing is loaded before the visitor asks for it: until then, an image of the game is shown instead of each.

import { formatClock } from '@chauffeur/contract/format';
import { readVideoLink, type VideoLink } from '@chauffeur/contract/video-link';
import type { Texts } from '../texts.ts';
import { type Html, html } from './html.ts';
import { type Picture, writeBytes, writePicture } from './parts.ts';
import type { PublicGame } from './structured-data.ts';

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

type VideoFile = PublicGame['video_files'][number];

/** The unit is pixels: half of what images have at most. A poster can't have copies for different screens. */
const POSTER_WIDTH = 960;

export function videosOf({ videos }: PublicGame): VideoLink[] {
  return videos.map(readVideoLink).filter((video) => video !== null);
}

/**
 * `pictures` are those of the gallery. The large one above the videos comes last, so that a video doesn't repeat it
 * while there are others.
 */
export function writeVideos(
  { name, video_files: files }: PublicGame,
  links: readonly VideoLink[],
  pictures: readonly Picture[],
  texts: Texts,
): Html | null {
  if (files.length + links.length === 0) return null;
  const posters = [...pictures.slice(1), ...pictures.slice(0, 1)];
  const shown = (index: number): Shown => ({ no: index + 1, name, poster: posters[index % posters.length], texts });
  const items = [
    ...files.map((file, index) => writeFile(file, shown(index))),
    ...links.map((link, index) => writeLink(link, shown(files.length + index))),
  ];
  return html`<section class="videos" aria-label="${texts.t('videos')}">${items}</section>`;
}

type Shown = {
  readonly no: number;
  readonly name: string;
  readonly poster: Picture | undefined;
  readonly texts: Texts;
};

/**
 * Its place has the shape of the poster, so nothing moves when the size of the video is known. Trailers often begin in
 * black, so their first frame is only shown if the game has no image.
 */
function writeFile(file: VideoFile, { no, name, poster, texts }: Shown): Html {
  const { url, width, height, duration_seconds: seconds, size } = file;
  const start = poster === undefined ? html` preload="metadata"` : html` preload="none" poster="${posterOf(poster)}"`;
  return html`<figure class="video">
<video class="video-place" src="${url}" width="${width}" height="${height}"${start} controls playsinline aria-label="${texts.t('videos.file', { no, game: name })}"><a href="${url}">${texts.t('videos.open')}</a></video>
<figcaption class="dimmed small-text">${seconds !== null && html`${formatClock(seconds)} · `}${writeBytes(size, texts)}</figcaption>
</figure>`;
}

function posterOf({ url, copies }: Picture): string {
  return copies.find(({ width }) => width >= POSTER_WIDTH)?.url ?? url;
}

function writeLink({ site, page, player }: VideoLink, { name, poster, texts }: Shown): Html {
  return html`<figure class="video">
<div class="video-place">${poster !== undefined && writePicture(poster, { sizes: GALLERY_SIZES, alt: '', priority: 'later' })}<a class="button large filled" href="${page}" rel="nofollow ugc noopener noreferrer" data-video="${player}" data-title="${texts.t('videos.title', { game: name, site })}">${texts.t('videos.play', { site })}</a></div>
<figcaption class="dimmed small-text">${texts.t('videos.note', { site })}</figcaption>
</figure>`;
}
