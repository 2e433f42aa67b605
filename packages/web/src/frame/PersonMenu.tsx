// The corner of the header: the menu of the signed-in person, or links to sign in and sign up.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { session } from '../session.ts';
import { AccountMenu } from './AccountMenu.tsx';

export function PersonMenu() {
  const { data: person, isPending } = useQuery(session);
  if (isPending) return <Skeleton w={96} h={20} aria-label="Loading account" />;
  if (person != null) return <AccountMenu person={person} />;
  return (
    <>
      <Link to="/sign-in">Sign in</Link>
      <Link to="/sign-up" className="button small filled">
        Sign up
      </Link>
    </>
  );
}
