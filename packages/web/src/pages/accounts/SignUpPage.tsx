// Signing up: a form, and then what to do with the mail that was sent.
import { PasswordInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { session, signUp } from '../../session.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { AccountForm } from './AccountForm.tsx';
import { MailSent } from './MailSent.tsx';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const { next } = route.useSearch();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const joining = useMutation({
    mutationFn: () => signUp({ name, email, password }),
    onSuccess: () => queries.invalidateQueries({ queryKey: session.queryKey }),
  });
  if (joining.isSuccess) return <MailSent email={email} />;
  return (
    <AccountForm
      title="Sign up"
      button="Create the account"
      busy={joining.isPending}
      error={joining.error}
      onSubmit={() => joining.mutate()}
      more={
        <Text size="sm">
          Have an account?{' '}
          <SiteLink to="/sign-in" search={next === undefined ? {} : { next }}>
            Sign in
          </SiteLink>
        </Text>
      }
    >
      <TextInput
        label="Name"
        description="Shown to players beside your games"
        autoComplete="name"
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        description="At least 10 characters"
        autoComplete="new-password"
        required
        minLength={10}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </AccountForm>
  );
}
