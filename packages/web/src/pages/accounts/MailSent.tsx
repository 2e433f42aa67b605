// After a sign-up: the mail with the link is on its way, and can be sent again.
import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTitle } from '../../frame/page-title.ts';
import { sendVerification } from '../../session.ts';
import { Problem } from '../../ui/Problem.tsx';

export function MailSent({ email }: { email: string }) {
  useTitle('Look into your mailbox');
  const sending = useMutation({ mutationFn: () => sendVerification(email) });
  return (
    <Stack gap="md" maw={480} mx="auto" py="xl" role="status">
      <Title order={1} size="h2">
        Look into your mailbox
      </Title>
      <Text>
        A mail to <strong>{email}</strong> has a link that proves the address is yours. It is good for 24 hours; until
        then nothing of yours can be published.
      </Text>
      {sending.error !== null && <Problem error={sending.error} />}
      {sending.isSuccess && <Text size="sm">It was sent again.</Text>}
      <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
        Send it again
      </Button>
    </Stack>
  );
}
