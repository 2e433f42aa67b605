// The pages that have no content of a game: for addresses without a page, too many requests, and a server that can't
// respond right now, which say what to do, without codes; and the operator's own texts, such as the imprint.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { PAGES } from '@chauffeur/contract/pages';
import { asKnownError } from '../../request/failures.ts';
import { type LegalPage, legalText } from '../../request/legal-pages.ts';
import type { Texts } from '../texts.ts';
import { type Html, html } from './html.ts';
import { renderDescription } from './parts.ts';
import type { PublicPage, Visit, WritePage } from './visit.ts';

export type PageProblem = {
  readonly status: number;
  readonly title: (texts: Texts) => string;
  readonly main: (texts: Texts) => Html;
  readonly retrySeconds?: number;
};

const RETRY_SECONDS = 5;

export const NOT_FOUND: PageProblem = {
  status: 404,
  title: (texts) => texts.t('problem.notFound'),
  main: (texts) => html`<div class="panel"><h1>${texts.t('problem.notFound')}</h1>
<p>${texts.t('problem.notFound.text')}</p>
<p class="buttons"><a class="button filled" href="${PAGES.home}">${texts.t('problem.home')}</a><a class="button" href="${PAGES.browse}">${texts.t('site.browse')}</a></p></div>`,
};

/** What a visitor is shown instead of the page. */
export function problemOf(thrown: unknown): PageProblem {
  const error = asKnownError(thrown);
  if (error === null) return FAILED;
  if (error.status === 429) return tooManyOf(error);
  return error.status >= 500 ? UNAVAILABLE : NOT_FOUND;
}

function tooManyOf({ data }: ApiError): PageProblem {
  const seconds = Number(data?.retry_after ?? RETRY_SECONDS);
  return {
    status: 429,
    title: (texts) => texts.t('problem.tooMany'),
    retrySeconds: seconds,
    main: (texts) => html`<div class="panel"><h1>${texts.t('problem.tooMany')}</h1>
<p>${texts.t('problem.tooMany.text', { seconds })}</p></div>`,
  };
}

const UNAVAILABLE: PageProblem = {
  status: 503,
  title: (texts) => texts.t('problem.unavailable'),
  retrySeconds: RETRY_SECONDS,
  main: (texts) => html`<div class="panel"><h1>${texts.t('problem.unavailable')}</h1>
<p>${texts.t('problem.unavailable.text')}</p>
<p><a class="button filled" href="">${texts.t('problem.retry')}</a></p></div>`,
};

const FAILED: PageProblem = {
  status: 500,
  title: (texts) => texts.t('problem.failed'),
  main: (texts) => html`<div class="panel"><h1>${texts.t('problem.failed')}</h1>
<p>${texts.t('problem.failed.text')}</p>
<p class="buttons"><a class="button filled" href="">${texts.t('problem.retry')}</a><a class="button" href="${PAGES.home}">${texts.t('problem.home')}</a></p></div>`,
};

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
