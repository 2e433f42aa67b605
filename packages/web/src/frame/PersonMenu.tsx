// The corner of the header: the menu of the signed-in person, or links to sign in and sign up.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { session } from '../session.ts';
import { t } from '../texts.tsx';
import { AccountMenu } from './AccountMenu.tsx';

export function PersonMenu() {
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
