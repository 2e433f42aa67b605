// A template tag that writes HTML and escapes everything that isn't HTML already, so that no text of a game can become
// markup. Values belong in elements and in quoted attributes, not in scripts, styles or tag names.
import { escapeHtml } from '../../kernel/text/escape-html.ts';

/** HTML that `html` or `asHtml` wrote. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

/** Nothing is written for null, undefined and false. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += write(part) + (strings[index + 1] ?? '');
  return new Html(text);
}

/** Marks text as HTML that must not be escaped. */
export function asHtml(text: string): Html {
  return new Html(text);
}

function write(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(write).join('');
  return escapeHtml(String(part));
}
