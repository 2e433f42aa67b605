// The search field of the store, a form that works without JavaScript.
import { PAGES } from '@chauffeur/contract/pages';
import { type Html, html } from './html.ts';
import type { Texts } from './texts/texts.ts';

type Search = {
  readonly texts: Texts;
  readonly q?: string | undefined;
  /** Filters that the search keeps. */
  readonly kept?: Readonly<Record<string, string | undefined>>;
  readonly where: 'header' | 'page';
};

export function writeSearch({ texts, q = '', kept = {}, where }: Search): Html {
  const hidden = Object.entries(kept).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<search class="${where === 'header' ? 'site-search' : 'search'}"><form action="${PAGES.browse}">
<input type="search" name="q" value="${q}" maxlength="200" aria-label="${texts.t('search.label')}" placeholder="${texts.t(where === 'header' ? 'search.label' : 'search.hint')}" data-search>${hidden}
${where === 'page' && html`<button class="button">${texts.t('search.button')}</button>`}
</form></search>`;
}
