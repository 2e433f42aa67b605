// Writes what the search of the documentation found, with the words of the query marked.

import { escapeHtml } from '../kernel/text/escape-html.ts';
import { type DocMatch, fold, isWordCharacter } from './doc-search.ts';

const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 180;

export function writeResults(query: string, matches: readonly DocMatch[]): string {
  const shown = escapeHtml(query);
  if (matches.length === 0)
    return `<p role="status">No results for “${shown}”. Try fewer or shorter words, or <a href="/docs">see all pages</a>.</p>`;
  const count = matches.length === 1 ? '1 result' : `${matches.length} results`;
  return `<p role="status">${count} for “${shown}”</p>
<ol data-results>
${matches.map(writeMatch).join('\n')}
</ol>`;
}

function writeMatch({ page, anchor, heading, title, text, words }: DocMatch): string {
  const href = `/docs/${page}${anchor === '' ? '' : `#${anchor}`}`;
  const [name, context] = heading === '' ? [title, ''] : [heading, `<em>${mark(title, words)}</em>`];
  const excerpt = excerptOf(text, words);
  const described = excerpt === '' ? '' : `<span>${mark(excerpt, words)}</span>`;
  return `<li><a href="${escapeHtml(href)}"><strong>${mark(name, words)}</strong>${context}${described}</a></li>`;
}

/** The part of the text around its first match. */
function excerptOf(text: string, words: readonly string[]): string {
  const first = rangesOf(text, words)[0]?.[0] ?? 0;
  if (text.length <= EXCERPT_LENGTH) return text;
  const from = first <= EXCERPT_BEFORE ? 0 : text.indexOf(' ', first - EXCERPT_BEFORE) + 1;
  const part = text.slice(from, from + EXCERPT_LENGTH);
  const end = from + EXCERPT_LENGTH < text.length ? part.lastIndexOf(' ') : -1;
  return `${from > 0 ? '… ' : ''}${end > 0 ? `${part.slice(0, end)} …` : part}`;
}

function mark(text: string, words: readonly string[]): string {
  let marked = '';
  let at = 0;
  for (const [from, to] of rangesOf(text, words)) {
    marked += `${escapeHtml(text.slice(at, from))}<mark>${escapeHtml(text.slice(from, to))}</mark>`;
    at = to;
  }
  return marked + escapeHtml(text.slice(at));
}

/** Where the words start words of the text, in order and without overlaps. */
function rangesOf(text: string, words: readonly string[]): [from: number, to: number][] {
  const folded = fold(text);
  // Without accents, the text may have another length. Then nothing is marked.
  if (folded.length !== text.length) return [];
  const found = words.flatMap((word) => {
    const ranges: [number, number][] = [];
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length))
      if (!isWordCharacter(folded[at - 1])) ranges.push([at, at + word.length]);
    return ranges;
  });
  found.sort(([a, endA], [b, endB]) => a - b || endB - endA);
  let end = 0;
  return found.filter(([from, to]) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}
