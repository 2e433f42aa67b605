// Emails of plain paragraphs, facts and links, as text and as HTML.
import type { Language } from '@chauffeur/contract/texts/messages';
import { escapeHtml } from '../text/escape-html.ts';
import { oneLine } from './email-text.ts';

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
export const MAIL_END = '</div></body></html>\n';

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
    MAIL_END,
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
