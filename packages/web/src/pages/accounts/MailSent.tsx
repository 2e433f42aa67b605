// Shown after sign-up: check your email, or have it sent again.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTitle } from '../../frame/page-title.ts';
import { sendVerification } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

export function MailSent({ email }: { email: string }) {
  useTitle('Check your email');
  const sending = useMutation({ mutationFn: () => sendVerification(email) });
  return (
    <Stack gap="md" maw={480} mx="auto" py="xl" role="status">
      <Title order={1} size="h2">
        Check your email
      </Title>
      <Text>
        We sent a link to <strong>{email}</strong>. It expires in 24 hours. If you already have an account, the email
        says how to sign in instead.
      </Text>
      {sending.error !== null && <Problem error={sending.error} />}
      {sending.isSuccess && <Text size="sm">If this address still needs to be verified, we sent the email again.</Text>}
      <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
        Send email again
      </Button>
      <SiteLink to="/sign-in">Sign in</SiteLink>
    </Stack>
  );
}
