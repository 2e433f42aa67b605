// Account settings: active sessions, the password, and other access.
import { formatBrowser } from '@chauffeur/contract/machine';
import { getSignInSecurity } from '@chauffeur/contract/operations/accounts';
import { getCredentials, revokeCredentials } from '@chauffeur/contract/operations/credentials';
import { listSignInRequirements } from '@chauffeur/contract/operations/organisations';
import { Button, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core';
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
import { ask, call } from '../../api.ts';
import { useTitle } from '../../frame/page-title.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { formatItems } from '../../ui/format.ts';
import { Section } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { NewPasswordField, PasswordField } from './AccountForm.tsx';
import { AuthenticatorApp } from './AuthenticatorApp.tsx';
import { DeployKeyList } from './DeployKeyList.tsx';
import { Passkeys } from './Passkeys.tsx';
import { RequiredSignIn } from './RequiredSignIn.tsx';

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

const credentials = ask(getCredentials, {});

/** Keys and agents that have access without the password, and a button that revokes all of them. */
function RevokeAccess() {
  const { data, error, refetch } = useQuery(credentials);
  const [isConfirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const revoking = useMutation({
    mutationFn: async () => {
      await endOtherSessions();
      const all = { personal_keys: true, api_tokens: true, programs: true, cli_logins: true, deploy_keys: true };
      return call(revokeCredentials, all);
    },
    onSuccess: async () => {
      setConfirming(false);
      await Promise.all([credentials, browserSessions].map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <section aria-labelledby="access">
      <Stack gap="sm" align="flex-start">
        <Title order={2} size="h4" id="access">
          Access without your password
        </Title>
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton h={96} />}
        {data !== undefined && (
          <>
            <List size="sm">
              <List.Item>{formatItems(data.personal_keys, 'personal key')}</List.Item>
              <List.Item>{formatItems(data.api_tokens, 'API token')}</List.Item>
              <List.Item>{formatItems(data.programs, 'connected agent')}</List.Item>
              <List.Item>{formatItems(data.cli_logins, 'signed-in command')}</List.Item>
              <List.Item>
                {formatItems(data.deploy_keys.length, 'deploy key or upload token', 'deploy keys and upload tokens')}
              </List.Item>
            </List>
            <Text size="sm">If someone else may have had access to your account, revoke everything.</Text>
            <Button color="red" variant="light" onClick={() => setConfirming(true)}>
              Revoke everything
            </Button>
            {revoking.isSuccess && (
              <Text size="sm" role="status">
                Revoked
              </Text>
            )}
          </>
        )}
      </Stack>
      {isConfirming && data !== undefined && (
        <ConfirmDialog
          title="Revoke everything?"
          confirmLabel="Revoke everything"
          isBusy={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate()}
          onClose={() => setConfirming(false)}
        >
          <Text size="sm">You'll be signed out everywhere else. These stop working immediately:</Text>
          <List size="sm">
            <List.Item>{formatItems(data.personal_keys, 'personal key')}</List.Item>
            <List.Item>{formatItems(data.api_tokens, 'API token')}</List.Item>
            <List.Item>{formatItems(data.programs, 'connected agent')}</List.Item>
            <List.Item>{formatItems(data.cli_logins, 'signed-in command')}</List.Item>
          </List>
          {data.deploy_keys.length > 0 && (
            <>
              <Text size="sm">Uploads with these will fail until you create new ones:</Text>
              <DeployKeyList keys={data.deploy_keys} />
            </>
          )}
        </ConfirmDialog>
      )}
    </section>
  );
}
