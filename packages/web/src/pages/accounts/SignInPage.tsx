// Signing in, and on to where the visitor was going.
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { signIn } from '../../session.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { EmailField, PasswordField } from './AccountFields.tsx';
import { AccountForm } from './AccountForm.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { next = '/dev' } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const queries = useQueryClient();
  const router = useRouter();
  const entering = useMutation({
    mutationFn: () => signIn({ email, password }),
    onSuccess: async () => {
      queries.clear();
      await router.navigate({ href: next });
    },
  });
  return (
    <AccountForm
      title="Sign in"
      button="Sign in"
      busy={entering.isPending}
      error={entering.error}
      onSubmit={() => entering.mutate()}
      more={
        <Text size="sm">
          No account yet?{' '}
          <SiteLink to="/sign-up" search={{ next }}>
            Sign up
          </SiteLink>
          {' · '}
          <SiteLink to="/reset">Forgot the password?</SiteLink>
        </Text>
      }
    >
      <EmailField value={email} onChange={setEmail} />
      <PasswordField value={password} onChange={setPassword} />
    </AccountForm>
  );
}
