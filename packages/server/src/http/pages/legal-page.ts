// The pages of the operator's own texts: imprint, privacy policy and terms of use.
import { errors } from '@chauffeur/contract/errors';
import { PAGES } from '@chauffeur/contract/pages';
import { type LegalPage, legalText } from '../../request/legal-pages.ts';
import { renderDescription } from './description.ts';
import { html } from './html.ts';
import type { PublicPage, Visit, WritePage } from './visit.ts';

/** A heading at the start of a text, which is the title of the page then. */
const TITLE = /^\s*# +(.+?)[ #]*(?:\r?\n|$)/;

export function writeLegalPage(page: LegalPage): WritePage {
  return async ({ ctx, texts }: Visit): Promise<PublicPage> => {
    const text = legalText(ctx, page, texts.language);
    if (text === undefined) throw errors.notFound();
    const title = TITLE.exec(text)?.[1] ?? texts.t(`legal.${page}`);
    return {
      status: 200,
      head: { title, description: '', url: ctx.publicUrl + PAGES[page] },
      main: html`<h1>${title}</h1>
<div class="markdown">${renderDescription(text.replace(TITLE, ''))}</div>`,
    };
  };
}
