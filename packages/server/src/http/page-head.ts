// Writes the head of a page for those who read it without running its script: search engines, and chats that show a preview.

export type PageHead = {
  /** What the page is about, '' for the site itself. */
  readonly title: string;
  readonly description: string;
  /** The one address of the page, whole. */
  readonly url: string;
  readonly image?: { readonly url: string; readonly width: number; readonly height: number; readonly alt: string };
  /** Not for search engines: a draft, or a game that is reached by link only. */
  readonly isHidden?: boolean;
};

const SITE = 'Chauffeur';
/** About what search engines and previews show. */
const MOST_CHARACTERS = 200;

/** Title and meta elements: of the Open Graph protocol (ogp.me), which also X and Mastodon read, and the form of X's card. */
export function writeHead({ title, description, url, image, isHidden = false }: PageHead): string {
  const said = shortenText(description);
  const named = [
    ['description', said],
    ['twitter:card', image === undefined ? 'summary' : 'summary_large_image'],
    ...(isHidden ? [['robots', 'noindex']] : []),
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
  ];
  return [
    `<title>${escapeHtml(title === '' ? SITE : `${title} · ${SITE}`)}</title>`,
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    ...named.map(([name = '', content = '']) => `<meta name="${name}" content="${escapeHtml(content)}">`),
    ...properties.map(([name = '', content = '']) => `<meta property="${name}" content="${escapeHtml(content)}">`),
  ].join('\n    ');
}

/** On one line, cut between words. */
function shortenText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MOST_CHARACTERS) return line;
  const cut = line.slice(0, MOST_CHARACTERS);
  const space = cut.lastIndexOf(' ');
  // A text without spaces may be cut within a pair of surrogates.
  const end = space > MOST_CHARACTERS / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '');
  return `${end}…`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
