// Renders the head of a page, for search engines and for link previews in chats, which do not run its script.
import type { Language } from '@chauffeur/contract/texts/messages';
import { escapeHtml } from '../kernel/text/escape-html.ts';

export type PageHead = {
  /** The subject of the page; '' for the site itself. */
  readonly title: string;
  readonly description: string;
  /** The canonical URL of the page. */
  readonly url: string;
  readonly image?: { readonly url: string; readonly width: number; readonly height: number; readonly alt: string };
  /** A file that previews can play. */
  readonly video?: { readonly url: string; readonly type: string; readonly width: number; readonly height: number };
  /** Whether search engines should ignore it: a draft, or a game that is reachable by link only. */
  readonly isHidden?: boolean;
  /** Elements of the head that are HTML already, such as preloads. */
  readonly links?: string;
  /** The language of the page, English unless it is given. */
  readonly language?: Language;
  /** The same page in each language, by language tag. */
  readonly translations?: readonly { readonly language: string; readonly url: string }[];
  /** An Atom feed of what the page lists. */
  readonly feed?: { readonly title: string; readonly url: string };
  /** What the page is about, in JSON-LD (schema.org). */
  readonly data?: object | undefined;
  /** Seconds after which the page's script opens it again. */
  readonly retrySeconds?: number | undefined;
};

const SITE = 'Chauffeur';
/** Roughly what search engines and previews display. */
const MAX_CHARACTERS = 200;

/** Fills in the place for the head of a built document, after what only this page has. */
export function fillHead(document: string, head: PageHead, first = ''): string {
  // A function, because inserted values are not replacement patterns: a game may be called `$&`.
  const { language = 'en' } = head;
  const translated = document.replace('<html lang="en">', () => `<html lang="${escapeHtml(language)}">`);
  return translated.replace(/<!--head-->[\s\S]*?<\/title>/, () =>
    [first, writeHead(head)].filter(Boolean).join('\n    '),
  );
}

/** Title and meta elements: Open Graph (ogp.me), which X and Mastodon also read, and the card format of X. */
export function writeHead(head: PageHead): string {
  const { title, description, url, image, video, isHidden = false } = head;
  const said = shortenText(description);
  const named = [
    ['description', said],
    ['twitter:card', image === undefined ? 'summary' : 'summary_large_image'],
    ...(isHidden ? [['robots', 'noindex']] : []),
    ...(head.retrySeconds === undefined ? [] : [['retry', String(head.retrySeconds)]]),
  ];
  const properties = [
    ['og:site_name', SITE],
    ['og:type', 'website'],
    ['og:title', title || SITE],
    ['og:description', said],
    ['og:url', url],
    ...(image === undefined
      ? []
      : [
          ['og:image', image.url],
          ['og:image:width', String(image.width)],
          ['og:image:height', String(image.height)],
          ['og:image:alt', image.alt],
        ]),
    ...(video === undefined
      ? []
      : [
          ['og:video', video.url],
          ['og:video:type', video.type],
          ['og:video:width', String(video.width)],
          ['og:video:height', String(video.height)],
        ]),
  ];
  return [
    `<title>${escapeHtml(title === '' ? SITE : `${title} · ${SITE}`)}</title>`,
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    ...named.map(([name = '', content = '']) => `<meta name="${name}" content="${escapeHtml(content)}">`),
    ...properties.map(([name = '', content = '']) => `<meta property="${name}" content="${escapeHtml(content)}">`),
    ...writeMore(head),
  ].join('\n    ');
}

function writeMore({ links = '', feed, data, translations = [] }: PageHead): string[] {
  const alternate =
    feed !== undefined &&
    `<link rel="alternate" type="application/atom+xml" title="${escapeHtml(feed.title)}" href="${escapeHtml(feed.url)}">`;
  const described = data !== undefined && `<script type="application/ld+json">${escapeJson(data)}</script>`;
  const translated = translations.map(
    ({ language, url }) => `<link rel="alternate" hreflang="${language}" href="${escapeHtml(url)}">`,
  );
  return [links, ...translated, alternate, described].filter((line) => line !== false && line !== '') as string[];
}

/** A value as JSON for a script element, which ends at the first `</script`. */
function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the text on one line, truncated between words. */
function shortenText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_CHARACTERS) return line;
  const cut = line.slice(0, MAX_CHARACTERS);
  const space = cut.lastIndexOf(' ');
  // A text without spaces may be cut within a surrogate pair.
  const end = space > MAX_CHARACTERS / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '');
  return `${end}…`;
}
