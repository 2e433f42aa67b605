// The frame of every page of the program: the header with search, theme and your account. The public pages, which the
// server writes, have the same frame (packages/server/src/site/pages/document.ts).
import { isPlayerPage, PAGES } from '@chauffeur/contract/pages';
import { type Language, PAGE_LANGUAGES } from '@chauffeur/contract/texts/messages';
import { Container, Skeleton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { onlineManager, useIsFetching, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouterState } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { forgetChoice, GAME_CHOICE } from '../browser.ts';
import { type Person, session, signOut } from '../session.ts';
import { legalLinks, t, texts } from '../texts.tsx';
import classes from './Frame.module.css';
import { lazyPart, useIsServerAwaited } from './load-code.ts';
import { useUndoable } from './offer-undo.ts';
import { openPalette, PaletteKey } from './PaletteKey.tsx';
import { usePageTitle } from './page-title.ts';

const PATIENCE_MS = 700;

export function Frame() {
  usePageTitle();
  return (
    <Layout>
      <Outlet />
    </Layout>
  );
}

/**
 * Nothing of the first page is shown before its data has arrived. If that takes long, the header comes first. What is
 * shown above all pages stays as it is when a page arrives.
 */
export function Site({ children }: { children: ReactNode }) {
  const isMissing = useRouterState({ select: ({ matches }) => matches.length === 0 });
  const isLate = useLasting(isMissing, PATIENCE_MS);
  return (
    <>
      {isLate && (
        <Layout>
          <Skeleton h={320} />
        </Layout>
      )}
      {children}
      <ConnectionStatus />
      <UndoToast />
      <PaletteKey />
    </>
  );
}

function Layout({ children }: { children: ReactNode }) {
  // Lists and charts use the whole width; texts and forms do not.
  const isWide = useLocation({ select: ({ pathname }) => /^\/(dev|operator|org)(\/|$)/.test(pathname) });
  const width = isWide ? classes.wide : '';
  return (
    <>
      <a className="skip" href="#content">
        {t('skip')}
      </a>
      <header className={`site-header ${width}`}>
        <div>
          <a className="site-name" href={PAGES.home}>
            <img src="/icon.svg" alt="" width={24} height={24} />
            <span>Chauffeur</span>
          </a>
          <nav aria-label={t('site.navigation')}>
            <a href={PAGES.browse}>{t('site.browse')}</a>
            <Link to="/dev">{t('site.games')}</Link>
            <a href={PAGES.docs}>{t('site.docs')}</a>
          </nav>
          <search className="site-search">
            <form action={PAGES.browse}>
              <input
                type="search"
                name="q"
                maxLength={200}
                aria-label={t('search.label')}
                placeholder={t('search.label')}
              />
            </form>
          </search>
          <ThemeSwitch />
          <div className="site-person">
            <PersonMenu />
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className={`${classes.content} ${width}`}>
        <Container size="var(--page-width)" py="lg">
          {children}
        </Container>
      </main>
      <Footer className={width} />
    </>
  );
}

/** Pages for developers are in one language. They have no footer unless the operator has set up links. */
function Footer({ className }: { className: string | undefined }) {
  const isForPlayers = useLocation({ select: ({ pathname }) => isPlayerPage(pathname) });
  if (legalLinks.length === 0 && !isForPlayers) return null;
  return (
    <footer className={`site-footer ${className}`}>
      <div>
        {legalLinks.length > 0 && (
          <nav aria-label={t('legal')}>
            {legalLinks.map(({ page, label, url }) => (
              <a key={page} href={url}>
                {label}
              </a>
            ))}
          </nav>
        )}
        {isForPlayers && <Languages />}
      </div>
    </footer>
  );
}

/** Links to the same page in the other languages, which the server writes and remembers. */
function Languages() {
  const addressIn = useLocation({
    select:
      ({ pathname, searchStr }) =>
      (language: Language) => {
        const parameters = new URLSearchParams(searchStr);
        parameters.set('lang', language);
        return `${pathname}?${parameters}`;
      },
  });
  return (
    <nav aria-label={t('site.languages')}>
      {PAGE_LANGUAGES.map((language) => (
        <a
          key={language}
          href={addressIn(language)}
          lang={language}
          hrefLang={language}
          aria-current={language === texts.language ? 'true' : undefined}
        >
          {new Intl.DisplayNames([language], { type: 'language' }).of(language)}
        </a>
      ))}
    </nav>
  );
}

/** Switches the theme, for visitors. Signed-in people choose it in their menu. */
function ThemeSwitch() {
  const { data: person } = useQuery(session);
  const { setColorScheme } = useMantineColorScheme();
  const shown = useComputedColorScheme();
  const choose = () => {
    const next = shown === 'dark' ? 'light' : 'dark';
    const isSystem = (next === 'dark') === matchMedia('(prefers-color-scheme: dark)').matches;
    setColorScheme(isSystem ? 'auto' : next);
  };
  if (person !== null) return null;
  const label = t('site.theme');
  return (
    <button type="button" className="site-theme" onClick={choose} aria-label={label} title={label}>
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <circle cx="9" cy="9" r="6.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M9 2.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
      </svg>
    </button>
  );
}

/** The corner of the header: the menu of the signed-in person, or links to sign in and sign up. */
function PersonMenu() {
  const { data: person, isPending } = useQuery(session);
  if (isPending) return <Skeleton w={96} h={20} role="progressbar" aria-label={t('account.loading')} />;
  if (person != null) return <AccountMenu person={person} />;
  return (
    <>
      <Link to="/sign-in">{t('site.signIn')}</Link>
      <Link to="/sign-up" className="button small filled">
        {t('site.signUp')}
      </Link>
    </>
  );
}

const SLOW_MS = 5000;

/** Shows at the foot of the page when the visitor is offline, the server is unavailable or a request is slow. */
function ConnectionStatus() {
  const message = useConnectionMessage();
  return (
    <div role="status" className={classes.connection}>
      {message !== null && <p className={classes.connectionMessage}>{message}</p>}
    </div>
  );
}

function useConnectionMessage(): string | null {
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  const failing = useIsFetching({ predicate: ({ state }) => state.fetchFailureCount > 0 });
  const isServerAwaited = useIsServerAwaited();
  const isSlow = useLasting(useIsFetching() > 0, SLOW_MS);
  if (!isOnline) return t('connection.offline');
  if (failing > 0 || isServerAwaited) return t('connection.busy');
  return isSlow ? t('connection.slow') : null;
}

const UndoOffer = lazyPart(async () => (await import('./UndoOffer.tsx')).UndoOffer);

/** Shows at the foot of the page what was just done, with a button that undoes it. */
function UndoToast() {
  const undoable = useUndoable();
  return (
    <div role="status" className={classes.undo}>
      <Suspense>{undoable !== null && <UndoOffer key={undoable.id} undoable={undoable} />}</Suspense>
    </div>
  );
}

const LINKS = [
  { to: '/dev', key: 'site.games' },
  { to: '/settings/profile', key: 'account.settings' },
] as const;

const SCHEMES = ['auto', 'light', 'dark'] as const;

/**
 * The menu of the signed-in person: their settings, the colours of the site, and sign-out. Public pages have the same
 * one. The menu is a popover of the browser: Escape and a click elsewhere close it, and the focus returns to the
 * button.
 */
function AccountMenu({ person }: { person: Person }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link in the menu opened another page
  useEffect(() => menu.current?.hidePopover(), [pathname]);
  const close = () => menu.current?.hidePopover();
  const search = () => {
    close();
    openPalette();
  };
  return (
    <>
      <button
        type="button"
        className="account-button"
        popoverTarget={id}
        title={person.email}
        data-initial={[...person.name.trim()][0]?.toUpperCase() ?? '?'}
      >
        <span className="account-label">{t('account.label')} </span>
        <span className="account-name">{person.name}</span>
      </button>
      <div ref={menu} id={id} popover="auto" className="account-menu">
        <div className="account-person">
          <strong>{person.name}</strong>
          <span>{person.email}</span>
        </div>
        <nav aria-label={t('account')}>
          {LINKS.map(({ to, key }) => (
            <Link key={to} to={to} className="account-item" activeOptions={{ exact: true }} onClick={close}>
              {t(key)}
            </Link>
          ))}
          {person.operator === true && (
            <Link to="/operator" className="account-item" activeOptions={{ exact: true }} onClick={close}>
              {t('account.operator')}
            </Link>
          )}
          {/* Phones have no keys that open it. */}
          <button type="button" className="account-item" onClick={search}>
            {t('account.palette')}
          </button>
        </nav>
        <fieldset className="account-scheme">
          <legend>{t('account.theme')}</legend>
          {SCHEMES.map((value) => (
            <button
              key={value}
              type="button"
              className="button small"
              aria-pressed={value === colorScheme}
              onClick={() => setColorScheme(value)}
            >
              {t(`account.theme.${value}`)}
            </button>
          ))}
        </fieldset>
        <SignOutButton />
      </div>
    </>
  );
}

function SignOutButton() {
  const queries = useQueryClient();
  const signingOut = useMutation({
    mutationFn: signOut,
    // The next person on this machine must not see this person's data.
    onSuccess: () => {
      queries.clear();
      forgetChoice(GAME_CHOICE);
      location.assign('/');
    },
  });
  return (
    <button
      type="button"
      className="button small wide"
      disabled={signingOut.isPending}
      onClick={() => signingOut.mutate()}
    >
      {t('account.signOut')}
    </button>
  );
}

/** Whether a condition has held for some time: some messages are shown only if something takes long. */
function useLasting(isTrue: boolean, ms: number): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => {
    if (!isTrue) return setHasLasted(false);
    const timer = setTimeout(() => setHasLasted(true), ms);
    return () => clearTimeout(timer);
  }, [isTrue, ms]);
  return isTrue && hasLasted;
}
