// Prepares a page of a game for a sandbox without an origin: adds a script before all others, and loads the game's own
// images, sounds and scripts with CORS.

/** Elements that can load without CORS, with the attributes that have their URLs. */
const LOADERS: Readonly<Record<string, readonly string[]>> = {
  script: ['src'],
  img: ['src', 'srcset'],
  link: ['href'],
  audio: ['src'],
  video: ['src'],
};
/** Elements whose content is text, up to their end tag. */
const TEXT_ELEMENTS = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
]);
/** What may come before the first element: a byte order mark, space, comments and the doctype. */
const PROLOGUE = /^(?:\xef\xbb\xbf)?(?:\s|<!--(?:-?>|[\s\S]*?--!?>)|<!doctype[^>]*>|<\?[^>]*>)*/i;
/** A comment or a start tag. */
const OPENING = /<(?:(!--)|([a-z][^\s/>]*))/gi;
/** An attribute of a start tag: its name and value (HTML Standard, section 13.1.2.3). */
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;
const UTF16 = /^(?:\xff\xfe|\xfe\xff)/;

/**
 * Returns the page with `script` in it. Both are bytes in the form of Latin-1 text, because the syntax of HTML is ASCII
 * whatever else is in the page. Takes time in proportion to the page, even if it is malformed.
 */
export function preparePage(page: string, script: string): string {
  // No ASCII is in a page of two bytes per character.
  if (UTF16.test(page)) return page;
  const start = PROLOGUE.exec(page)?.[0].length ?? 0;
  return `${page.slice(0, start)}<script>${script}</script>${shareFiles(page.slice(start))}`;
}

/** Adds `crossorigin` to elements that load files of the game. The first of two attributes of one name counts. */
function shareFiles(page: string): string {
  const pieces: string[] = [];
  let copied = 0;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(page); match !== null; match = OPENING.exec(page)) {
    const [, comment, tag = ''] = match;
    const name = tag.toLowerCase();
    if (comment !== undefined) {
      const end = page.indexOf('-->', match.index + 2);
      if (end < 0) break;
      OPENING.lastIndex = end;
      continue;
    }
    const nameEnd = OPENING.lastIndex;
    const { attributes, end } = readAttributes(page, nameEnd);
    // All other URLs of the page are then those of another server.
    if (name === 'base' && !isRelative(attributes.get('href') ?? '')) break;
    if (LOADERS[name]?.some((attribute) => isRelative(attributes.get(attribute)))) {
      pieces.push(page.slice(copied, nameEnd), ' crossorigin');
      copied = nameEnd;
    }
    OPENING.lastIndex = TEXT_ELEMENTS.has(name) ? findEndTag(page, name, end) : end;
  }
  return [...pieces, page.slice(copied)].join('');
}

/** The attributes of the start tag by lowercase name, and the offset at which it ends. */
function readAttributes(page: string, start: number): { attributes: ReadonlyMap<string, string>; end: number } {
  const attributes = new Map<string, string>();
  let end = start;
  ATTRIBUTE.lastIndex = start;
  for (let match = ATTRIBUTE.exec(page); match !== null; match = ATTRIBUTE.exec(page)) {
    const [, name = '', double, single, plain] = match;
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, double ?? single ?? plain ?? '');
    end = ATTRIBUTE.lastIndex;
  }
  return { attributes, end };
}

function findEndTag(page: string, name: string, start: number): number {
  const endTag = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  endTag.lastIndex = start;
  return endTag.exec(page)?.index ?? page.length;
}

/** Whether a URL is relative to the page, and so means a file of the game. */
function isRelative(url: string | undefined): boolean {
  return url !== undefined && url.trim() !== '' && !/^\s*(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(url);
}
