// The videos of a game, which are on other websites. Nothing is loaded from there before the visitor asks for it: until
// then, an image of the game is shown instead of each. Without JavaScript, its button is a link to the video.
import { readVideoLink, type VideoLink } from '@chauffeur/contract/video-link';
import { type Html, html } from './html.ts';
import { type Picture, writePicture } from './parts.ts';
import type { PublicGame } from './structured-data.ts';
import type { Texts } from './texts/texts.ts';

const SIZES = '(min-width: 76em) 50rem, (min-width: 62em) calc(100vw - 26rem), 100vw';

export function videosOf({ videos }: PublicGame): VideoLink[] {
  return videos.map(readVideoLink).filter((video) => video !== null);
}

/** `pictures` are the images of the page, of which each video gets another one while there are enough. */
export function writeVideos(
  { name }: PublicGame,
  videos: readonly VideoLink[],
  pictures: readonly Picture[],
  texts: Texts,
): Html | null {
  if (videos.length === 0) return null;
  const items = videos.map((video, index) =>
    writeVideo(video, { name, poster: pictures[index % pictures.length], texts }),
  );
  return html`<section class="videos" aria-label="${texts.t('videos')}">${items}</section>`;
}

type Shown = { readonly name: string; readonly poster: Picture | undefined; readonly texts: Texts };

function writeVideo({ site, page, player }: VideoLink, { name, poster, texts }: Shown): Html {
  return html`<figure class="video">
<div class="video-place">${poster !== undefined && writePicture(poster, { sizes: SIZES, alt: '', priority: 'later' })}<a class="button large filled" href="${page}" rel="nofollow ugc noopener noreferrer" data-video="${player}" data-title="${texts.t('videos.title', { game: name, site })}">${texts.t('videos.play', { site })}</a></div>
<figcaption class="dimmed small-text">${texts.t('videos.note', { site })}</figcaption>
</figure>`;
}
