// Describes a game for search engines, as a VideoGame of schema.org in JSON-LD.
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getPublicGame } from '@chauffeur/contract/operations/store';
import { listOsNames } from '@chauffeur/contract/store-format';
import { plainTextOf } from '../../kernel/text/markdown.ts';

export type PublicGame = OutputOf<typeof getPublicGame>;

/** A video without an image isn't shown in results of searches. */
function describeVideo(name: string, video: PublicGame['video_files'][number], images: readonly string[]): object {
  const { url, content_type, width, height, duration_seconds: seconds, uploaded_at } = video;
  return {
    '@type': 'VideoObject',
    name,
    contentUrl: url,
    encodingFormat: content_type,
    width,
    height,
    ...(seconds !== null && { duration: `PT${Math.max(1, Math.round(seconds))}S` }),
    uploadDate: uploaded_at,
    ...(images.length > 0 && { thumbnailUrl: images.slice(0, 1) }),
  };
}

export function describeGame(game: PublicGame, url: string, publicUrl: string): object {
  const stable = game.downloads.filter(({ channel }) => channel === 'stable');
  const [newest] = stable.toSorted((a, b) => (a.file.uploaded_at < b.file.uploaded_at ? 1 : -1));
  const images = [game.cover, game.thumbnail, ...game.gallery].flatMap((image) => (image === null ? [] : [image.url]));
  const { developer_handle: handle } = game;
  return {
    '@context': 'https://schema.org',
    '@type': 'VideoGame',
    name: game.name,
    url,
    ...(game.tagline !== '' && { headline: game.tagline }),
    ...(game.description !== '' && { description: plainTextOf(game.description) }),
    ...(images.length > 0 && { image: images }),
    ...(game.video_files.length > 0 && {
      trailer: game.video_files.map((video) => describeVideo(game.name, video, images)),
    }),
    author: {
      '@type': 'Organization',
      name: game.developer,
      ...(handle !== null && { url: `${publicUrl}/@${handle}` }),
    },
    ...(game.published_at !== null && { datePublished: game.published_at }),
    ...(newest !== undefined && { dateModified: newest.file.uploaded_at, softwareVersion: newest.version }),
    ...(stable.length > 0 && { operatingSystem: listOsNames(stable).join(', ') }),
    ...(game.tags.length > 0 && { genre: game.tags }),
    ...(game.languages.length > 0 && { inLanguage: game.languages }),
    ...(game.links.length > 0 && { sameAs: game.links.map((link) => link.url) }),
    applicationCategory: 'Game',
    isAccessibleForFree: true,
  };
}
