// The page that email links lead to: whether an address was verified or changed.
import type { ProgramKey } from '@chauffeur/contract/texts/messages';
import { Button, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sendVerification } from '../../account-calls.ts';
import { useTitle } from '../../frame/page-title.ts';
import { type Person, session } from '../../session.ts';
import { rich, t } from '../../texts.tsx';
import { Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

const route = getRouteApi('/verify');

export function VerifyPage() {
  const { error, email } = route.useSearch();
  const { data: person } = useQuery({ ...session, staleTime: 0 });
  if (email !== undefined) return <ChangeResult newEmail={email} error={error} person={person ?? null} />;
  // An expired link, or one that was opened before, may also have verified the address.
  if (person?.emailVerified === true) {
    return (
      <Message title={t('verify.done')}>
        <Text>{t('verify.done.text')}</Text>
        <SiteLink to="/dev">{t('verify.done.link')}</SiteLink>
      </Message>
    );
  }
  if (error === 'SIGN_IN_FIRST') {
    return (
      <Message title={t('verify.done')}>
        <Text>{t('verify.signIn')}</Text>
        <SiteLink to="/sign-in">{t('signIn.title')}</SiteLink>
      </Message>
    );
  }
  return (
    <Message title={t(error === undefined ? 'verify.title' : 'verify.invalid')}>
      {person == null ? (
        <Text>
          {rich('verify.request', {
            link: (content) => (
              <SiteLink to="/sign-in" search={{ next: '/verify' }}>
                {content}
              </SiteLink>
            ),
          })}
        </Text>
      ) : (
        <SendAgain email={person.email} />
      )}
    </Message>
  );
}

function Message({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <Panel size="narrow">
      <Title order={1} size="h2">
        {title}
      </Title>
      {children}
    </Panel>
  );
}

function SendAgain({ email }: { email: string }) {
  const sending = useMutation({ mutationFn: () => sendVerification(email) });
  return (
    <>
      <Text>{rich('verify.open', { email, strong })}</Text>
      {sending.error !== null && <Problem error={sending.error} />}
      {sending.isSuccess && <Text size="sm">{t('verify.sent')}</Text>}
      <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
        {t('signUp.sent.repeat')}
      </Button>
    </>
  );
}

const strong = (content: ReactNode) => <strong>{content}</strong>;

const CHANGE_PROBLEMS: ReadonlyMap<string, ProgramKey> = new Map([
  ['EMAIL_TAKEN', 'verify.change.taken'],
  ['SIGN_IN_FIRST', 'verify.change.signIn'],
  ['ACCOUNT_DISABLED', 'verify.change.disabled'],
]);

type ChangeResultProps = { newEmail: string; error: string | undefined; person: Person | null };

/** Shown after each of the two links of a change: the one to the current address and the one to the new address. */
function ChangeResult({ newEmail, error, person }: ChangeResultProps) {
  const profile = <SiteLink to="/settings/profile">{t('verify.change.profile')}</SiteLink>;
  if (error !== undefined) {
    return (
      <Message title={t('verify.change.failed')}>
        <Text>{t(CHANGE_PROBLEMS.get(error) ?? 'verify.change.invalid')}</Text>
        {profile}
      </Message>
    );
  }
  if (person?.email === newEmail.toLowerCase()) {
    return (
      <Message title={t('verify.change.done')}>
        <Text>{rich('verify.change.done.text', { email: person.email, strong })}</Text>
        {profile}
      </Message>
    );
  }
  return (
    <Message title={t('verify.change.next')}>
      <Text>{rich('verify.change.next.text', { email: newEmail, strong })}</Text>
    </Message>
  );
}
