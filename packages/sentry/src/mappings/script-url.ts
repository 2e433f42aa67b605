// Addresses of scripts and source maps in the form that artifacts of releases have: without the host, such as
// `~/assets/game.js`.

/** The parts of a path after which it is cut: `~/assets/game.js` is found for a page in any of so many folders. */
const MAX_SUFFIXES = 8;
const MAX_LENGTH = 512;

/** `~/assets/game.js` for a URL or a path; empty for what isn't a file, such as `<anonymous>`. */
export function scriptUrlOf(place: string): string {
  const path = pathOf(place.trim());
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..') || path.endsWith('/')) return '';
  const url = `~/${parts.join('/')}`;
  return url.length > MAX_LENGTH || /[\p{C}\p{Zl}\p{Zp}<>]/u.test(url) ? '' : url;
}

/** Unity and others name compressed scripts like this: `game.framework.js.br`. */
const COMPRESSED = /(\.[cm]?js(?:\.map)?)\.(?:gz|br|unityweb)$/i;

function pathOf(place: string): string {
  const bare = place
    .replace(/[?#].*$/s, '')
    .replaceAll('\\', '/')
    .replace(COMPRESSED, '$1');
  const path = bare
    .replace(/^[a-z][\w+.-]{1,30}:\/\/[^/]*/i, '')
    .replace(/^[a-z][\w+.-]{1,30}:/i, '')
    .replace(/^~?\/?(?:[a-z]:\/)?/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The URLs that the script may have in a release, the longest first: a game may be in a folder of the host. */
export function urlCandidates(place: string): string[] {
  const url = scriptUrlOf(place);
  if (url === '') return [];
  const parts = url.slice(2).split('/');
  return parts.slice(-MAX_SUFFIXES).map((_, index, kept) => `~/${kept.slice(index).join('/')}`);
}

/** The URL of the map that a script names; empty if that is elsewhere. */
export function mapUrlOf(scriptUrl: string, sourceMapUrl: string): string {
  if (sourceMapUrl === '' || scriptUrl === '') return '';
  if (/^[a-z][\w+.-]*:|^\/\//i.test(sourceMapUrl)) return scriptUrlOf(sourceMapUrl);
  const path = scriptUrl.slice(2).split('/').map(encodeURIComponent).join('/');
  const resolved = URL.parse(sourceMapUrl, `http://host/${path}`);
  return resolved === null ? '' : scriptUrlOf(resolved.href);
}

/** The last part of a URL or path. */
export function baseOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
