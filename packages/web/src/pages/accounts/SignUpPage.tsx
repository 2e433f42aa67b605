// The sign-up form, followed by the page that says to check the email.
import { Anchor, Button, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { sendVerification, signUp } from '../../account-calls.ts';
import { useTitle } from '../../frame/page-title.ts';
import { legalLinks, rich, t } from '../../texts.tsx';
import { Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { AccountForm, EmailField, NameField, NewPasswordField } from './AccountForm.tsx';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const { next } = route.useSearch();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signingUp = useMutation({ mutationFn: () => signUp({ name, email, password }) });
  if (signingUp.isSuccess) return <EmailSent email={email} />;
  return (
    <AccountForm
      title={t('signUp.title')}
      submitLabel={t('signUp.submit')}
      isBusy={signingUp.isPending}
      error={signingUp.error}
      onSubmit={() => signingUp.mutate()}
      footer={
        <>
          <LegalNotes />
          <Text size="sm">
            {rich('signUp.hasAccount', {
              link: (content) => (
                <SiteLink to="/sign-in" search={next === undefined ? {} : { next }}>
                  {content}
                </SiteLink>
              ),
            })}
          </Text>
        </>
      }
    >
      <NameField value={name} onChange={setName} />
      <EmailField value={email} onChange={setEmail} />
      <NewPasswordField label={t('field.password')} value={password} onChange={setPassword} />
    </AccountForm>
  );
}

/** Links to the operator's terms and privacy policy, which a new account accepts. */
function LegalNotes() {
  const notes = (['terms', 'privacy'] as const).flatMap((page) => legalLinks.find((link) => link.page === page) ?? []);
  if (notes.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {notes.map(({ page, url }) => (
        <Fragment key={page}>
          {rich(page === 'terms' ? 'signUp.terms' : 'signUp.privacy', {
            link: (content) => (
              <Anchor href={url} target="_blank">
                {content}
              </Anchor>
            ),
          })}{' '}
        </Fragment>
      ))}
    </Text>
  );
}

/** Shown after sign-up: check your email, or have it sent again. */
function EmailSent({ email }: { email: string }) {
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
