// Account settings: active sessions, the password, and other access.
import { formatBrowser } from '@chauffeur/contract/format-browser';
import { listSignInRequirements } from '@chauffeur/contract/operations/organisations';
import { getSignInSecurity } from '@chauffeur/contract/operations/sign-in';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import {
  type BrowserSession,
  browserSessions,
  changePassword,
  endOtherSessions,
  endSession,
  passkeys,
} from '../../account-calls.ts';
import { ask } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { NewPasswordField, PasswordField } from './AccountFields.tsx';
import { AuthenticatorApp } from './AuthenticatorApp.tsx';
import { Passkeys } from './Passkeys.tsx';
import { RequiredSignIn } from './RequiredSignIn.tsx';
import { RevokeAccess } from './RevokeAccess.tsx';

const security = ask(getSignInSecurity, {});
const requirements = ask(listSignInRequirements, {});

export function SecurityPage() {
  useTitle('Security');
  return (
    <Stack gap="xl">
      <RequiredSignIn />
      <Sessions />
      <PasswordForm />
      <SecondFactors />
      <RevokeAccess />
    </Stack>
  );
}

function SecondFactors() {
  const { data, error, refetch } = useQuery(security);
  const queries = useQueryClient();
  const refresh = () =>
    Promise.all(
      [security, requirements, passkeys, browserSessions].map(({ queryKey }) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={160} />;
  return (
    <>
      <AuthenticatorApp isOn={data.authenticator_app} hasPassword={data.password} onChanged={refresh} />
      <Passkeys onChanged={refresh} />
      {data.single_sign_on && (
        <Section title="Single sign-on">
          <Text size="sm">Your account is connected to the single sign-on of this service.</Text>
        </Section>
      )}
    </>
  );
}

function Sessions() {
  const { data, error, isPending, refetch } = useQuery(browserSessions);
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: browserSessions.queryKey });
  const ending = useMutation({ mutationFn: endSession, onSuccess: refresh });
  const endingOthers = useMutation({ mutationFn: endOtherSessions, onSuccess: refresh });
  const problem = error ?? ending.error ?? endingOthers.error;
  return (
    <section aria-labelledby="sessions">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="sessions">
          Active sessions
        </Title>
        <Button
          size="xs"
          variant="default"
          loading={endingOthers.isPending}
          disabled={(data?.all.length ?? 0) < 2}
          onClick={() => endingOthers.mutate()}
        >
          Sign out everywhere else
        </Button>
      </Group>
      {problem !== null && <Problem error={problem} onRetry={() => void refetch()} />}
      <DataTable
        label="Active sessions"
        columns={sessionColumns(data?.ownId, ending.isPending ? ending.variables : undefined, ending.mutate)}
        rows={data?.all}
        rowKey={({ id }) => id}
        isLoading={isPending}
        skeletonRows={2}
      />
    </section>
  );
}

function sessionColumns(
  ownId: string | undefined,
  endingToken: string | undefined,
  onEnd: (token: string) => void,
): Column<BrowserSession>[] {
  return [
    {
      header: 'Browser',
      cell: ({ userAgent }) => formatBrowser(userAgent ?? ''),
      title: ({ userAgent }) => userAgent ?? undefined,
    },
    { header: 'IP address', cell: ({ ipAddress }) => ipAddress ?? '' },
    { header: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      header: 'Sign out',
      isHeaderHidden: true,
      align: 'right',
      cell: ({ id, token, userAgent }) =>
        id === ownId ? (
          <Text size="sm" c="dimmed">
            This browser
          </Text>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            loading={token === endingToken}
            onClick={() => onEnd(token)}
            aria-label={`Sign out of ${formatBrowser(userAgent ?? '')}`}
          >
            Sign out
          </Button>
        ),
    },
  ];
}

function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: () => changePassword(current, next),
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      await queries.invalidateQueries({ queryKey: browserSessions.queryKey });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    changing.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Password">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4">
          Password
        </Title>
        {changing.error !== null && <Problem error={changing.error} />}
        <PasswordField label="Current password" value={current} onChange={setCurrent} />
        <NewPasswordField
          description="At least 10 characters. Changing it signs you out everywhere else."
          value={next}
          onChange={setNext}
        />
        <Group gap="sm">
          <Button type="submit" loading={changing.isPending}>
            Change password
          </Button>
          {changing.isSuccess && (
            <Text size="sm" role="status">
              Password changed
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  );
}
