// The frame of public pages: the header with search, theme and the visitor's account, and the footer. The website's other
// pages have the same header (packages/web/src/frame/Frame.tsx), with the same styles.
import { PAGES } from '@chauffeur/contract/pages';
import { asHtml, type Html, html } from './html.ts';
import { writeSearch } from './search.ts';

/** The signed-in person. */
export type Visitor = { readonly name: string; readonly email: string; readonly isOperator: boolean };

type Frame = {
  readonly visitor: Visitor | null;
  /** The page that visitors without an account return to after they signed in. */
  readonly path: string;
  /** What the search field contains; null for a page with a search of its own. */
  readonly search: string | null;
};

export function writeFrame(main: Html, { visitor, path, search }: Frame): Html {
  return html`<a class="skip" href="#content">Skip to content</a>
<header class="site-header"><div>
<a class="site-name" href="${PAGES.home}"><img src="/icon.svg" alt="" width="24" height="24"><span>Chauffeur</span></a>
<nav aria-label="Site"><a href="${PAGES.browse}">Browse</a><a href="${PAGES.games}">Your games</a><a href="${PAGES.docs}">Docs</a></nav>
${search === null ? html`<span class="site-space"></span>` : writeSearch({ q: search, where: 'header' })}
${visitor === null && html`<button type="button" class="site-theme" data-theme-switch data-needs-js aria-label="Switch between light and dark mode" title="Switch between light and dark mode">${HALF_DISC}</button>`}
<div class="site-person">${visitor === null ? writeSignIn(path) : writePerson(visitor)}</div>
</div></header>
<main id="content" class="site-main" tabindex="-1">
${main}
</main>
<footer class="site-footer"><div>
<span>Every download shows where it came from and how it was scanned.</span>
<nav aria-label="More"><a href="/feeds/games.atom">Feed of new games</a><a href="${PAGES.docs}">Documentation</a><a href="${PAGES.cli}">Publish a game</a></nav>
</div></footer>`;
}

function writeSignIn(path: string): Html {
  const signIn = path === PAGES.home ? PAGES.signIn : `${PAGES.signIn}?${new URLSearchParams({ next: path })}`;
  return html`<a href="${signIn}">Sign in</a><a class="button small filled" href="${PAGES.signUp}">Sign up</a>`;
}

/** A popover of the browser: Escape and a click elsewhere close it. */
function writePerson({ name, email, isOperator }: Visitor): Html {
  const initial = [...name.trim()][0]?.toUpperCase() ?? '?';
  const item = (path: string, label: string) => html`<a class="account-item" href="${path}">${label}</a>`;
  const scheme = ([value, label]: readonly [string, string]) =>
    html`<button type="button" class="button small" data-theme="${value}" aria-pressed="false">${label}</button>`;
  return html`<button type="button" class="account-button" popovertarget="account" title="${email}" data-initial="${initial}"><span class="account-label">Account: </span><span class="account-name">${name}</span></button>
<div id="account" popover="auto" class="account-menu">
<div class="account-person"><strong>${name}</strong><span>${email}</span></div>
<nav aria-label="Account">${item(PAGES.games, 'Your games')}${item(PAGES.profile, 'Account settings')}${isOperator && item(PAGES.operator, 'Operator')}</nav>
<fieldset class="account-scheme" data-needs-js><legend>Theme</legend>${SCHEMES.map(scheme)}</fieldset>
<button type="button" class="button small wide" data-sign-out data-needs-js>Sign out</button>
</div>`;
}

const SCHEMES = [
  ['auto', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

const HALF_DISC = asHtml(
  '<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><circle cx="9" cy="9" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M9 2.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>',
);
