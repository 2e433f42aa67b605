// Mails of plain paragraphs, facts and links, as text and as HTML.
import type { Language } from '@chauffeur/contract/texts/messages';
import { escapeHtml } from '../text/escape-html.ts';
import { oneLine } from './mail-text.ts';

/** A paragraph, a list of named facts, or a link. */
export type Part =
  | string
  | { readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly link: string };

/** The text and the HTML of a mail with these parts. */
export function renderParts(parts: readonly Part[], language: Language = 'en'): { text: string; html: string } {
  return { text: `${parts.map(textOf).join('\n\n')}\n`, html: htmlOf(parts, language) };
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part;
  if ('link' in part) return part.link;
  return part.facts.map(([name, value]) => `${name}: ${oneLine(value)}`).join('\n');
}

/** Without images, scripts or styles that mail programs remove. */
function htmlOf(parts: readonly Part[], language: Language): string {
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8"></head>`,
    '<body style="font-family: sans-serif; font-size: 15px; line-height: 1.5">',
    ...parts.map(elementOf),
    '</body></html>\n',
  ].join('\n');
}

function elementOf(part: Part): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`;
  if ('link' in part) return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.link)}</a></p>`;
  const rows = part.facts.map(
    ([name, value]) =>
      `<tr><td style="padding-right: 12px; color: #666">${escapeHtml(name)}</td><td>${escapeHtml(oneLine(value))}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}
