// The corner of the header: the menu of the signed-in person, or links to sign in and sign up.
import { Button, Group, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { session } from '../session.ts';
import { SiteLink } from '../ui/SiteLink.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import classes from './Frame.module.css';

export function PersonMenu() {
  const { data: person, isPending } = useQuery(session);
  if (isPending) return <Skeleton w={96} h={20} aria-label="Loading account" />;
  if (person != null) return <AccountMenu person={person} />;
  return (
    <Group gap="md" wrap="nowrap">
      <SiteLink to="/sign-in" size="sm" style={{ whiteSpace: 'nowrap' }}>
        Sign in
      </SiteLink>
      <Button component={Link} to="/sign-up" size="xs" className={classes.signUp}>
        Sign up
      </Button>
    </Group>
  );
}
