// Splits a rendered page into the sections that the search finds.
import type { DocSection } from '@chauffeur/contract/docs';
import { plainOf } from './escape.ts';
import type { RenderedDoc } from './render-doc.ts';

/** The first section is the text before the first heading. */
export function sectionsOf(page: string, { html, headings }: RenderedDoc): DocSection[] {
  const parts = html.split(/(?=<h[2-6] id=")/);
  const intro = parts.length > headings.length ? parts.shift()! : '';
  const sections = parts.map((part, index): DocSection => {
    const { id, text: heading } = headings[index]!;
    return { page, anchor: id, heading, text: textOf(part.replace(/^<h[\s\S]*?<\/h\d>/, '')) };
  });
  return [{ page, anchor: '', heading: '', text: textOf(intro) }, ...sections];
}

/** The same commands again, and the tabs that lead to them. */
const OTHER_SHELLS =
  /<legend>.*?<\/legend>|<label.*?<\/label>|<div data-code data-shell="(?:powershell|bat)">[\s\S]*?<\/div>/g;

/** Tags within a sentence, which separate no words. */
const INLINE = /<\/?(?:a|code|del|em|strong)(?: [^>]*)?>/g;

function textOf(html: string): string {
  return plainOf(
    html
      .replaceAll(OTHER_SHELLS, '')
      .replaceAll(INLINE, '')
      .replaceAll(/<[^>]*>/g, ' '),
  )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
