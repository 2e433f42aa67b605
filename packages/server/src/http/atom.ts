// Writes Atom feeds (RFC 4287).
import { escapeHtml } from '../kernel/text/escape-html.ts';

export type Feed = {
  /** A URI that never changes. */
  readonly id: string;
  readonly title: string;
  /** The page that the feed belongs to. */
  readonly page: string;
  /** The feed itself. */
  readonly self: string;
  readonly entries: readonly Entry[];
};

export type Entry = {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly author: string;
  readonly at: Date;
  /** HTML, in which texts are escaped. */
  readonly content: string;
};

/** XML 1.0 has no way to write these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it finds
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

export function writeFeed({ id, title, page, self, entries }: Feed): string {
  const newest = Math.max(0, ...entries.map(({ at }) => at.getTime()));
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escapeXml(id)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(page)}"/>`,
    `<link rel="self" type="application/atom+xml" href="${escapeXml(self)}"/>`,
    `<updated>${new Date(newest).toISOString()}</updated>`,
    ...entries.map(writeEntry),
    '</feed>',
  ].join('\n')}\n`;
}

function writeEntry({ id, title, url, author, at, content }: Entry): string {
  const time = at.toISOString();
  return [
    '<entry>',
    `<id>${escapeXml(id)}</id>`,
    `<title>${escapeXml(title)}</title>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>`,
    `<author><name>${escapeXml(author)}</name></author>`,
    `<published>${time}</published><updated>${time}</updated>`,
    `<content type="html">${escapeXml(content)}</content>`,
    '</entry>',
  ].join('');
}

function escapeXml(text: string): string {
  return escapeHtml(text.replace(NOT_XML, '\ufffd'));
}
