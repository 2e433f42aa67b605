// Resets a password: the first form requests the email, and the second, which its link opens, sets the new password.
import { LIMITS } from '@chauffeur/contract/limits';
import { revokeAfterReset } from '@chauffeur/contract/operations/credentials';
import { Button, List, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type Report, requestReset, resetPassword } from '../../account-calls.ts';
import { call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { t } from '../../texts.tsx';
import { Notice, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { AccountForm, EmailField, NewPasswordField } from './AccountForm.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';

const route = getRouteApi('/reset');

export function ResetPage() {
  const { token, error } = route.useSearch();
  return token === undefined ? <RequestForm isExpired={error !== undefined} /> : <PasswordForm token={token} />;
}

function RequestForm({ isExpired }: { isExpired: boolean }) {
  const [email, setEmail] = useState('');
  const requesting = useMutation({ mutationFn: () => requestReset(email) });
  if (requesting.isSuccess) {
    return <Done title={t('reset.sent')}>{t('reset.sent.text', { email })}</Done>;
  }
  return (
    <AccountForm
      title={t('reset.title')}
      submitLabel={t('reset.submit')}
      isBusy={requesting.isPending}
      error={requesting.error}
      onSubmit={() => requesting.mutate()}
      footer={<BackToSignIn />}
    >
      {isExpired && (
        <div role="alert">
          <Notice tone="unsure" title={t('reset.expired')} />
        </div>
      )}
      <Text size="sm">{t('reset.text')}</Text>
      <EmailField value={email} onChange={setEmail} />
    </AccountForm>
  );
}

function PasswordForm({ token }: { token: string }) {
  const [password, setPassword] = useState('');
  const setting = useMutation({ mutationFn: () => resetPassword(token, password) });
  if (setting.isSuccess) return <ResetResult report={setting.data} />;
  return (
    <AccountForm
      title={t('reset.new')}
      submitLabel={t('reset.new.submit')}
      isBusy={setting.isPending}
      error={setting.error}
      onSubmit={() => setting.mutate()}
    >
      <NewPasswordField
        description={t('reset.new.hint', { count: LIMITS.passwordMinLength })}
        value={password}
        onChange={setPassword}
      />
    </AccountForm>
  );
}

function BackToSignIn() {
  return (
    <SiteLink to="/sign-in" size="sm">
      {t('reset.back')}
    </SiteLink>
  );
}

function Done({ title, children }: { title: string; children: React.ReactNode }) {
  useTitle(title);
  return (
    <Panel size="narrow" role="status">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text>{children}</Text>
      <BackToSignIn />
    </Panel>
  );
}

/** Shown after a password reset: what was revoked, which deploy keys still work, and a button to revoke those. */
function ResetResult({ report }: { report: Report }) {
  useTitle(t('reset.done'));
  const { sessions, personal_keys: keys, api_tokens: tokens, programs, cli_logins: logins } = report.revoked;
  return (
    <Panel role="status">
      <Title order={1} size="h2">
        {t('reset.done')}
      </Title>
      <List size="sm">
        <List.Item>{t('reset.done.sessions', { count: sessions })}</List.Item>
        <List.Item>{t('reset.done.keys', { count: keys })}</List.Item>
        <List.Item>{t('reset.done.tokens', { count: tokens })}</List.Item>
        <List.Item>{t('reset.done.agents', { count: programs })}</List.Item>
        <List.Item>{t('reset.done.commands', { count: logins })}</List.Item>
      </List>
      {report.deploy_keys.length > 0 && <RemainingKeys report={report} />}
      <SiteLink to="/sign-in">{t('reset.done.signIn')}</SiteLink>
    </Panel>
  );
}

function RemainingKeys({ report }: { report: Report }) {
  const revoking = useMutation({ mutationFn: () => call(revokeAfterReset, { token: report.revoke_token }) });
  if (revoking.isSuccess) {
    return (
      <Notice tone="good" title={t('reset.deployKeys.revoked', { count: revoking.data.deploy_keys })}>
        <Text size="sm">{t('reset.deployKeys.next')}</Text>
      </Notice>
    );
  }
  return (
    <Notice tone="unsure" title={t('reset.deployKeys')}>
      <Stack gap="sm" align="flex-start">
        <DeployKeyList keys={report.deploy_keys} />
        <Text size="sm">{t('reset.deployKeys.text')}</Text>
        {revoking.error !== null && <Problem error={revoking.error} />}
        <Button color="red" variant="light" loading={revoking.isPending} onClick={() => revoking.mutate()}>
          {t('reset.deployKeys.revoke')}
        </Button>
      </Stack>
    </Notice>
  );
}
