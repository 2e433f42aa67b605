// The menu of the signed-in person: their settings, the colours of the site, and sign-out. Public pages have the same one
// (packages/server/src/site/pages/document.ts).
import { useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useId, useRef } from 'react';
import { type Person, signOut } from '../session.ts';
import { t } from '../texts.tsx';
import { openPalette } from './PaletteKey.tsx';

const LINKS = [
  { to: '/dev', key: 'site.games' },
  { to: '/settings/profile', key: 'account.settings' },
] as const;

const SCHEMES = ['auto', 'light', 'dark'] as const;

/** The menu is a popover of the browser: Escape and a click elsewhere close it, and the focus returns to the button. */
export function AccountMenu({ person }: { person: Person }) {
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
          {/* Phones have no keys for it. */}
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
