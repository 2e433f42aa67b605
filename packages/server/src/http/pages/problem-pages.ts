// The pages for addresses without a page, too many requests, and a server that can't answer right now. They say what to do,
// without codes.
import type { ApiError } from '@chauffeur/contract/errors';
import { PAGES } from '@chauffeur/contract/pages';
import { asKnownError } from '../../request/as-api-error.ts';
import { type Html, html } from './html.ts';

export type Problem = {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly retrySeconds?: number;
};

const RETRY_SECONDS = 5;

export const NOT_FOUND: Problem = {
  status: 404,
  title: 'Page not found',
  main: html`<h1>Page not found</h1>
<p>Check the address. The page may have been moved or deleted.</p>
<p><a href="${PAGES.home}">Go to the home page</a></p>`,
};

/** What a visitor is shown instead of the page. */
export function problemOf(thrown: unknown): Problem {
  const error = asKnownError(thrown);
  if (error === null) return FAILED;
  if (error.status === 429) return tooManyOf(error);
  return error.status >= 500 ? UNAVAILABLE : NOT_FOUND;
}

function tooManyOf({ data }: ApiError): Problem {
  const seconds = Number(data?.retry_after ?? RETRY_SECONDS);
  return {
    status: 429,
    title: 'Too many requests',
    retrySeconds: seconds,
    main: html`<h1>Too many requests</h1>
<p>Too many pages were opened from your network. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.</p>`,
  };
}

const UNAVAILABLE: Problem = {
  status: 503,
  title: 'Temporarily unavailable',
  retrySeconds: RETRY_SECONDS,
  main: html`<h1>Temporarily unavailable</h1>
<p>The server can't answer right now. Try again in a few seconds.</p>
<p><a class="button" href="">Try again</a></p>`,
};

const FAILED: Problem = {
  status: 500,
  title: 'Something went wrong',
  main: html`<h1>Something went wrong</h1>
<p>This page couldn't be shown. Try again later, or go to <a href="${PAGES.home}">the home page</a>.</p>`,
};
