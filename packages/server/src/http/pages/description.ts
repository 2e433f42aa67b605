// The description of a game as HTML, which is kept while it is being read often.
import { createRecent } from '../../kernel/collections/recent.ts';
import { renderMarkdown } from '../../kernel/text/markdown.ts';
import { asHtml, type Html } from './html.ts';

/** Characters of the descriptions, and of their HTML, that a process keeps. */
const MAX_KEPT = 4_000_000;
const rendered = createRecent<string, Html>(MAX_KEPT);

export function renderDescription(text: string): Html {
  const kept = rendered.get(text);
  if (kept !== undefined) return kept;
  const written = asHtml(renderMarkdown(text));
  rendered.set(text, written, text.length + written.text.length);
  return written;
}
