// The text and the HTML of emails: names chosen by people, which can't pose as anything else; paragraphs, facts and
// links; and the links at the end of every email, such as to the imprint.
import type { Language } from '@chauffeur/contract/texts/messages';
import { escapeHtml } from '../text/escape-html.ts';
import type { Email, Mailer } from './email.ts';

const MAX_LENGTH = 200;

/** Puts a name on one line, so that it cannot pose as another line of the email or as a header. */
export function oneLine(name: string): string {
  const [...characters] = name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : characters.join('');
}

/** What email programs take for the end of a scheme, as in `https:`, or for a dot in a domain. */
const LINK_PARTS = /(?<=\p{L}):(?=\S)|(?<=\S)[.\u3002\uFF0E\uFF61](?=[\p{L}\p{N}])|@(?=\S)/gu;

/**
 * Puts a name on one line on which email programs find no address to make a link of: `evil.example` becomes
 * `evil. example`. For emails to people who may not know whose name it is.
 */
export function plainName(name: string): string {
  return oneLine(name).replace(LINK_PARTS, '$& ');
}

const MARKS: Readonly<Record<Language, readonly [string, string]>> = { en: ['“', '”'], de: ['„', '“'] };

/** Puts a name in quotation marks, which it cannot close. */
export function quote(name: string, language: Language = 'en'): string {
  const [start, end] = MARKS[language];
  return `${start}${oneLine(name.replace(/[„“”]+/g, ' '))}${end}`;
}

/** A paragraph, a list of named facts, or a link. */
export type Part =
  | string
  | { readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly link: string };

/** The text and the HTML of an email with these parts. */
export function renderParts(parts: readonly Part[], language: Language = 'en'): { text: string; html: string } {
  return { text: `${parts.map(textOf).join('\n\n')}\n`, html: writeEmailDocument(parts.map(elementOf), language) };
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part;
  if ('link' in part) return part.link;
  return part.facts.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n');
}

/** The end of every document, before which more can be inserted. */
const EMAIL_END = '</div></body></html>\n';

/**
 * The document of an email, as one column in light and dark mode. Without images, scripts or styles that email programs
 * remove.
 */
export function writeEmailDocument(elements: readonly string[], language: Language = 'en'): string {
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>',
    '<body style="margin: 0; font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5">',
    '<div style="max-width: 576px; margin: 0 auto; padding: 24px 16px; overflow-wrap: anywhere">',
    '<p style="margin: 0 0 24px; font-weight: bold">Chauffeur</p>',
    ...elements,
    EMAIL_END,
  ].join('\n');
}

function elementOf(part: Part): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`;
  if ('link' in part) return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.link)}</a></p>`;
  const rows = part.facts.map(
    ([name, value]) =>
      `<tr><td style="padding: 2px 16px 2px 0; vertical-align: top; white-space: nowrap; opacity: 0.7">${escapeHtml(name)}</td><td>${escapeHtml(oneLine(value))}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

type Link = { readonly label: string; readonly url: string };

/** Returns a mailer that adds the links for readers of each email's language. */
export function addEmailFooters(mailer: Mailer, linksIn: (language: Language) => readonly Link[]): Mailer {
  return { ...mailer, send: (email) => mailer.send(withFooter(email, linksIn(email.language ?? 'en'))) };
}

/** The start of a signature (RFC 3676, section 4.3), which an email may already have. */
const SIGNATURE = /^-- $/m;

function withFooter(email: Email, links: readonly Link[]): Email {
  if (links.length === 0) return email;
  const { text, html } = email;
  const lines = links.map(({ label, url }) => `${label}: ${url}`).join('\n');
  const start = SIGNATURE.test(text) ? '\n' : '\n\n-- \n';
  const items = links.map(({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`).join(' · ');
  const element = `<p style="margin: 32px 0 0; font-size: 13px; opacity: 0.7">${items}</p>\n`;
  return {
    ...email,
    text: `${text.trimEnd()}${start}${lines}\n`,
    ...(html !== undefined && { html: html.replace(EMAIL_END, () => element + EMAIL_END) }),
  };
}
