// Signing in the `chauffeur` command: the person compares the code, chooses the games, and approves or denies.
// cspell:ignore BCDF GHJK
import { ApiError } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import { decideCliLogin, getCliLoginRequest } from '@chauffeur/contract/operations/cli';
import { listGames } from '@chauffeur/contract/operations/games';
import { Button, Code, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ask, call } from '../../api.ts';
import { session } from '../../session.ts';
import { Facts, Unverified } from '../../ui/Facts.tsx';
import { Notice, PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';

type Request = OutputOf<typeof getCliLoginRequest>;

const route = getRouteApi('/signed-in/cli/login');

export function CliLoginPage() {
  const { code } = route.useSearch();
  return (
    <Panel gap="lg">
      <PageHead title="Sign in the chauffeur command" />
      {code === undefined ? <EnterCode /> : <Login key={code} code={code} />}
    </Panel>
  );
}

function EnterCode() {
  const [code, setCode] = useState('');
  const navigate = route.useNavigate();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: { code: code.trim() } });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md" align="flex-start">
        <TextInput
          label="Code"
          description="Run chauffeur login in a terminal. It shows the code."
          placeholder="BCDF-GHJK"
          required
          withAsterisk={false}
          pattern="\s*[A-Za-z]{4}-?[A-Za-z]{4}\s*"
          title="Eight letters"
          autoComplete="off"
          w="100%"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit">Continue</Button>
      </Stack>
    </form>
  );
}

function Login({ code }: { code: string }) {
  // Each look-up counts against a limit.
  const once = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, refetchOnReconnect: false };
  const { data, error, refetch } = useQuery({ ...ask(getCliLoginRequest, { user_code: code }), ...once });
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return <UnknownCode />;
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton h={360} /> : <Decide request={data} />;
}

function UnknownCode() {
  return (
    <>
      <Text>This code is unknown, expired or already used.</Text>
      <Text>
        Run <Code>chauffeur login</Code> again for a new code.
      </Text>
      <SiteLink to="/cli/login">Enter another code</SiteLink>
    </>
  );
}

function Decide({ request }: { request: Request }) {
  const { data: person } = useQuery(session);
  const { data, error, refetch } = useQuery(ask(listGames, {}));
  const [game, setGame] = useState('');
  const deciding = useMutation({
    mutationFn: (approve: boolean) =>
      call(decideCliLogin, { user_code: request.user_code, approve, ...(approve && game !== '' && { game }) }),
  });
  if (deciding.isSuccess) return <Decided isApproved={deciding.data.approved} />;
  const games = data?.games ?? [];
  return (
    <>
      <Facts
        facts={[
          ['Code', <Code key="code">{request.user_code}</Code>],
          ['Computer', <Unverified key="host" text={request.host} />],
          ['OS', <Unverified key="os" text={request.os} />],
          ['IP address', formatAddress(request)],
          ['Requested', <Time key="time" at={request.created_at} />],
          ['Your account', person?.email ?? ''],
        ]}
      />
      <Notice tone="unsure" title="Does your terminal show this code?">
        <Text size="sm">
          Approve only if you ran chauffeur login yourself and the codes match. If someone sent you this link or code,
          deny it: their command would act for you.
        </Text>
        {!request.is_same_network && (
          <Text size="sm">
            The command runs on a different network from this browser. Deny it unless you started it there, such as on a
            server.
          </Text>
        )}
        <Text size="sm">
          The command can upload builds, symbols and store images, like a deploy key. Builds on stable reach all
          players.
        </Text>
      </Notice>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <NativeSelect
        label="Games"
        disabled={data === undefined}
        value={game}
        onChange={(event) => setGame(event.currentTarget.value)}
        data={[
          { value: '', label: 'All games you own or administer, including future games' },
          ...games.map(({ game_uid, name }) => ({ value: game_uid, label: `${name} only` })),
        ]}
      />
      {deciding.error !== null && <Problem error={deciding.error} />}
      <Group gap="sm">
        <Button
          loading={deciding.isPending && deciding.variables}
          disabled={data === undefined}
          onClick={() => deciding.mutate(true)}
        >
          Approve
        </Button>
        <Button
          variant="default"
          loading={deciding.isPending && !deciding.variables}
          onClick={() => deciding.mutate(false)}
        >
          Deny
        </Button>
      </Group>
    </>
  );
}

function formatAddress({ address, is_same_network }: Request): string {
  if (address === null) return 'Unknown';
  return is_same_network ? `${address} (your network)` : `${address} (different network)`;
}

function Decided({ isApproved }: { isApproved: boolean }) {
  if (!isApproved) return <Text role="status">Denied. The command was not signed in.</Text>;
  return (
    <Text role="status">
      Approved. Return to your terminal. You can revoke the login in your{' '}
      <SiteLink to="/settings/keys">settings</SiteLink>.
    </Text>
  );
}
