// A new password: first the mail is asked for, then, from its link, the password is set.
import { Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTitle } from '../../frame/page-title.ts';
import { requestReset, resetPassword } from '../../session.ts';
import { EmailField, NewPasswordField } from './AccountFields.tsx';
import { AccountForm } from './AccountForm.tsx';
import { ResetResult } from './ResetResult.tsx';

const route = getRouteApi('/reset');

export function ResetPage() {
  const { token, error } = route.useSearch();
  return token === undefined ? <AskForMail isExpired={error !== undefined} /> : <SetPassword token={token} />;
}

function AskForMail({ isExpired }: { isExpired: boolean }) {
  const [email, setEmail] = useState('');
  const asking = useMutation({ mutationFn: () => requestReset(email) });
  if (asking.isSuccess) {
    return (
      <Done title="Check your email">
        If there is an account for {email}, we sent it a link to set a new password. It expires in an hour.
      </Done>
    );
  }
  return (
    <AccountForm
      title="Reset your password"
      button="Send email"
      busy={asking.isPending}
      error={asking.error}
      onSubmit={() => asking.mutate()}
    >
      {isExpired && <Text role="alert">That link is no longer valid. Ask for another one here.</Text>}
      <EmailField value={email} onChange={setEmail} />
    </AccountForm>
  );
}

function SetPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('');
  const setting = useMutation({ mutationFn: () => resetPassword(token, password) });
  if (setting.isSuccess) return <ResetResult report={setting.data} />;
  return (
    <AccountForm
      title="Set a new password"
      button="Set password"
      busy={setting.isPending}
      error={setting.error}
      onSubmit={() => setting.mutate()}
    >
      <NewPasswordField
        more=". You'll be signed out everywhere, your personal keys revoked and your programs disconnected."
        value={password}
        onChange={setPassword}
      />
    </AccountForm>
  );
}

function Done({ title, children }: { title: string; children: React.ReactNode }) {
  useTitle(title);
  return (
    <Stack gap="md" maw={480} mx="auto" py="xl" role="status">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text>{children}</Text>
    </Stack>
  );
}
