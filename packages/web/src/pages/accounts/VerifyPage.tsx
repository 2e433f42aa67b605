// Where the link of the verification mail ends: it tells whether the address is proved now.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTitle } from '../../frame/page-title.ts';
import { sendVerification, session } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

const route = getRouteApi('/verify');

export function VerifyPage() {
  const { error } = route.useSearch();
  const { data: person } = useQuery({ ...session, staleTime: 0 });
  const sending = useMutation({ mutationFn: (email: string) => sendVerification(email) });
  const isProved = error === undefined && person?.emailVerified === true;
  useTitle(isProved ? 'Your email is verified' : 'Verify your email');
  if (isProved) {
    return (
      <Stack gap="md" maw={480} mx="auto" py="xl">
        <Title order={1} size="h2">
          Your email is verified
        </Title>
        <Text>You can create a game and ship its first build.</Text>
        <SiteLink to="/dev">Go to your games</SiteLink>
      </Stack>
    );
  }
  return (
    <Stack gap="md" maw={480} mx="auto" py="xl">
      <Title order={1} size="h2">
        {error === undefined ? 'Verify your email' : 'The link is no longer valid'}
      </Title>
      {person == null ? (
        <Text>
          <SiteLink to="/sign-in" search={{ next: '/verify' }}>
            Sign in
          </SiteLink>
          , then another mail can be sent to you.
        </Text>
      ) : (
        <>
          <Text>
            The mail to <strong>{person.email}</strong> has the link. It is good for 24 hours.
          </Text>
          {sending.error !== null && <Problem error={sending.error} />}
          {sending.isSuccess && <Text size="sm">Another mail is on its way.</Text>}
          <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate(person.email)}>
            Send another mail
          </Button>
        </>
      )}
    </Stack>
  );
}
