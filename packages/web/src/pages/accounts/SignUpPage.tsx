// The sign-up form, followed by the page that says to check the email.
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { signUp } from '../../session.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { EmailField, NameField, NewPasswordField } from './AccountFields.tsx';
import { AccountForm } from './AccountForm.tsx';
import { MailSent } from './MailSent.tsx';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const { next } = route.useSearch();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signingUp = useMutation({ mutationFn: () => signUp({ name, email, password }) });
  if (signingUp.isSuccess) return <MailSent email={email} />;
  return (
    <AccountForm
      title="Sign up"
      submitLabel="Create account"
      isBusy={signingUp.isPending}
      error={signingUp.error}
      onSubmit={() => signingUp.mutate()}
      footer={
        <Text size="sm">
          Already have an account?{' '}
          <SiteLink to="/sign-in" search={next === undefined ? {} : { next }}>
            Sign in
          </SiteLink>
        </Text>
      }
    >
      <NameField value={name} onChange={setName} />
      <EmailField value={email} onChange={setEmail} />
      <NewPasswordField label="Password" value={password} onChange={setPassword} />
    </AccountForm>
  );
}
