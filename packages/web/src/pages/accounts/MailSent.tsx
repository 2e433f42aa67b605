// Shown after sign-up: check your email, or have it sent again.
import { Button, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { sendVerification } from '../../account-calls.ts';
import { useTitle } from '../../frame/page-title.ts';
import { rich, t } from '../../texts.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';

export function MailSent({ email }: { email: string }) {
  useTitle(t('signUp.sent'));
  const sending = useMutation({ mutationFn: () => sendVerification(email) });
  return (
    <Panel size="narrow" role="status">
      <Title order={1} size="h2">
        {t('signUp.sent')}
      </Title>
      <Text>{rich('signUp.sent.text', { email, strong: (content) => <strong>{content}</strong> })}</Text>
      {sending.error !== null && <Problem error={sending.error} />}
      {sending.isSuccess && <Text size="sm">{t('signUp.sent.repeated')}</Text>}
      <Button variant="default" loading={sending.isPending} onClick={() => sending.mutate()}>
        {t('signUp.sent.repeat')}
      </Button>
      <SiteLink to="/sign-in">{t('signIn.title')}</SiteLink>
    </Panel>
  );
}
