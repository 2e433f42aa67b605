// The sign-in form. Afterwards the visitor continues to the page they came for.
import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { openPath } from '../../frame/open-path.ts';
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
  const signingIn = useMutation({
    mutationFn: () => signIn({ email, password }),
    onSuccess: async () => {
      queries.clear();
      await openPath(router, next);
    },
  });
  return (
    <AccountForm
      title="Sign in"
      submitLabel="Sign in"
      isBusy={signingIn.isPending}
      error={signingIn.error}
      onSubmit={() => signingIn.mutate()}
      footer={
        <Text size="sm">
          No account yet?{' '}
          <SiteLink to="/sign-up" search={{ next }}>
            Sign up
          </SiteLink>
          {' · '}
          <SiteLink to="/reset">Forgot password?</SiteLink>
        </Text>
      }
    >
      <EmailField value={email} onChange={setEmail} />
      <PasswordField value={password} onChange={setPassword} />
    </AccountForm>
  );
}
