// The menu of the signed-in person: their settings, the colours of the site, and sign-out.
import { Button, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef } from 'react';
import { type Person, signOut } from '../session.ts';
import { Choice } from '../ui/Choice.tsx';
import classes from './AccountMenu.module.css';

const LINKS = [
  { to: '/dev', name: 'Your games' },
  { to: '/settings/profile', name: 'Account settings' },
] as const;

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** The menu is a popover of the browser: Escape and a click elsewhere close it, and the focus returns to the button. */
export function AccountMenu({ person }: { person: Person }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link in the menu opened another page
  useEffect(() => menu.current?.hidePopover(), [pathname]);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <UnstyledButton
        className={classes.button}
        popoverTarget={id}
        title={person.email}
        data-initial={[...person.name.trim()][0]?.toUpperCase() ?? '?'}
      >
        <VisuallyHidden>Account: </VisuallyHidden>
        <span className={classes.name}>{person.name}</span>
      </UnstyledButton>
      <div ref={menu} id={id} popover="auto" className={classes.menu}>
        <div className={classes.person}>
          <strong>{person.name}</strong>
          <span>{person.email}</span>
        </div>
        <nav aria-label="Account">
          {LINKS.map(({ to, name }) => (
            <Link key={to} to={to} className={classes.item} activeOptions={{ exact: true }} onClick={close}>
              {name}
            </Link>
          ))}
          {person.operator === true && (
            <Link to="/operator" className={classes.item} activeOptions={{ exact: true }} onClick={close}>
              Operator
            </Link>
          )}
        </nav>
        <div className={classes.scheme}>
          <span>Theme</span>
          <Choice label="Theme" value={colorScheme} choices={SCHEMES} onChange={setColorScheme} />
        </div>
        <SignOutButton />
      </div>
    </>
  );
}

function SignOutButton() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signingOut = useMutation({
    mutationFn: signOut,
    // The next person on this machine must not see this person's data.
    onSuccess: async () => {
      queries.clear();
      await navigate({ to: '/' });
    },
  });
  return (
    <Button variant="default" size="xs" fullWidth loading={signingOut.isPending} onClick={() => signingOut.mutate()}>
      Sign out
    </Button>
  );
}
