// The page that email links lead to: whether an address was verified or changed.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { type Person, sendVerification, session } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

const route = getRouteApi('/verify');

export function VerifyPage() {
  const { error, email } = route.useSearch();
  const { data: person } = useQuery({ ...session, staleTime: 0 });
  if (email !== undefined) return <ChangeResult newEmail={email} error={error} person={person ?? null} />;
  if (error === undefined && person?.emailVerified === true) {
    return (
      <Message title="Your email is verified">
        <Text>You can create a game and ship its first build.</Text>
        <SiteLink to="/dev">Go to your games</SiteLink>
      </Message>
    );
  }
  if (error === 'SIGN_IN_FIRST') {
    return (
      <Message title="Your email is verified">
        <Text>Your account has a second factor, so sign in to continue.</Text>
        <SiteLink to="/sign-in">Sign in</SiteLink>
      </Message>
    );
  }
  return (
    <Message title={error === undefined ? 'Verify your email' : 'This link is no longer valid'}>
      {person == null ? (
        <Text>
          <SiteLink to="/sign-in" search={{ next: '/verify' }}>
            Sign in
          </SiteLink>{' '}
          to request a new link.
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
    <Stack gap="md" maw={480} mx="auto" py="xl">
      <Title order={1} size="h2">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function SendAgain({ email }: { email: string }) {
  const sending = useMutation({ mutationFn: () => sendVerification(email) });
  return (
    <>
      <Text>
        Open the link in our email to <strong>{email}</strong>. It expires after 24 hours.
      </Text>
      {sending.error !== null && <Problem error={sending.error} />}
      {sending.isSuccess && <Text size="sm">Email sent</Text>}
      <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
        Send email again
      </Button>
    </>
  );
}

const CHANGE_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['EMAIL_TAKEN', 'Another account uses this address.'],
  ['SIGN_IN_FIRST', 'Your account has a second factor. Sign in, then open the link again.'],
  ['ACCOUNT_DISABLED', 'This account is disabled. Ask the operator of the service to enable it.'],
]);

type ChangeResultProps = { newEmail: string; error: string | undefined; person: Person | null };

/** Shown after each of the two links of a change: the one to the current address and the one to the new address. */
function ChangeResult({ newEmail, error, person }: ChangeResultProps) {
  const profile = <SiteLink to="/settings/profile">Go to your profile</SiteLink>;
  if (error !== undefined) {
    return (
      <Message title="Your email wasn't changed">
        <Text>
          {CHANGE_PROBLEMS.get(error) ?? 'This link is no longer valid. Change your email again from your profile.'}
        </Text>
        {profile}
      </Message>
    );
  }
  if (person?.email === newEmail.toLowerCase()) {
    return (
      <Message title="Your email is changed">
        <Text>
          Sign in with <strong>{person.email}</strong> from now on.
        </Text>
        {profile}
      </Message>
    );
  }
  return (
    <Message title="One more step">
      <Text>
        We sent a link to <strong>{newEmail}</strong>. Open it within 24 hours to finish the change.
      </Text>
    </Message>
  );
}
