// cspell:ignore youtu
// Reads the address of a video on YouTube or Vimeo. Only its id is kept, from which the addresses of its page and its
// player are made, so nothing else of what a developer typed is ever loaded.

export type VideoLink = {
  readonly site: 'YouTube' | 'Vimeo';
  /** The page of the video. */
  readonly page: string;
  /** Its player, for a frame. */
  readonly player: string;
  /** The origin of the player, for Content-Security-Policy. */
  readonly origin: string;
};

const YOUTUBE_HOSTS = ['www.youtube.com', 'youtube.com', 'm.youtube.com', 'www.youtube-nocookie.com'];
const YOUTUBE_ID = /^[\w-]{11}$/;
/** The second part is needed for videos that aren't listed. */
const VIMEO_PATH = /^\/(?:video\/)?(\d{1,12})(?:\/([\da-f]{6,20}))?\/?$/;
const VIMEO_HASH = /^[\da-f]{6,20}$/;

/** Null for anything else. */
export function readVideoLink(text: string): VideoLink | null {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '')
    return null;
  return readYouTube(url) ?? readVimeo(url);
}

function readYouTube({ hostname, pathname, searchParams }: URL): VideoLink | null {
  const [first = '', second = '', ...rest] = pathname.replace(/\/$/, '').split('/').slice(1);
  const isShort = hostname === 'youtu.be' && second === '';
  if (rest.length > 0 || !(isShort || YOUTUBE_HOSTS.includes(hostname))) return null;
  const isPlayer = ['embed', 'shorts', 'live'].includes(first);
  const id = isShort ? first : isPlayer ? second : first === 'watch' ? searchParams.get('v') : null;
  if (id === null || !YOUTUBE_ID.test(id)) return null;
  const origin = 'https://www.youtube-nocookie.com';
  return {
    site: 'YouTube',
    page: `https://www.youtube.com/watch?v=${id}`,
    player: `${origin}/embed/${id}?rel=0`,
    origin,
  };
}

function readVimeo({ hostname, pathname, searchParams }: URL): VideoLink | null {
  if (!['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'].includes(hostname)) return null;
  const [, id, hash = searchParams.get('h')] = VIMEO_PATH.exec(pathname) ?? [];
  if (id === undefined || (hash !== null && !VIMEO_HASH.test(hash))) return null;
  const origin = 'https://player.vimeo.com';
  return {
    site: 'Vimeo',
    page: `https://vimeo.com/${id}${hash === null ? '' : `/${hash}`}`,
    player: `${origin}/video/${id}?dnt=1${hash === null ? '' : `&h=${hash}`}`,
    origin,
  };
}
