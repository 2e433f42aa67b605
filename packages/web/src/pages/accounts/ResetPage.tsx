// Resets a password: the first form requests the email, the second, opened from its link, sets the new password.
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
  return token === undefined ? <RequestForm isExpired={error !== undefined} /> : <PasswordForm token={token} />;
}

function RequestForm({ isExpired }: { isExpired: boolean }) {
  const [email, setEmail] = useState('');
  const requesting = useMutation({ mutationFn: () => requestReset(email) });
  if (requesting.isSuccess) {
    return (
      <Done title="Check your email">
        If {email} has an account, we sent a link to set a new password. It expires in 1 hour.
      </Done>
    );
  }
  return (
    <AccountForm
      title="Reset your password"
      submitLabel="Send email"
      isBusy={requesting.isPending}
      error={requesting.error}
      onSubmit={() => requesting.mutate()}
    >
      {isExpired && <Text role="alert">This link is no longer valid. Request a new one.</Text>}
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
      title="Set a new password"
      submitLabel="Set password"
      isBusy={setting.isPending}
      error={setting.error}
      onSubmit={() => setting.mutate()}
    >
      <NewPasswordField
        description="At least 10 characters. Setting it signs you out everywhere, revokes your personal keys and disconnects your agents."
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
