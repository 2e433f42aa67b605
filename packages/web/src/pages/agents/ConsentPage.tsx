// Where a person lets a program act for them, or does not: who asks, where the answer goes, and what it may do.
import { ApiError } from '@chauffeur/contract/errors';
import { connectAgent, getAgentClient } from '@chauffeur/contract/operations/agents';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { answerConsent, session } from '../../session.ts';
import { Facts } from '../../ui/Facts.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ReachFields } from './ReachFields.tsx';
import { type Asked, readAsked, scopesOf } from './reach.ts';

const route = getRouteApi('/signed-in/consent');

export function ConsentPage() {
  const { request = '' } = route.useSearch();
  const asked = readAsked(request);
  return (
    <Stack gap="lg" maw={560} mx="auto" py="md">
      {asked === null ? <NoRequest request={request} /> : <Consent asked={asked} />}
    </Stack>
  );
}

function NoRequest({ request }: { request: string }) {
  const said = new URLSearchParams(request).get('error_description');
  return (
    <>
      <PageHead title="Nothing to decide" />
      <Text>
        {said === null
          ? 'This page is opened by a program that asks to be connected.'
          : `The program asked wrongly: ${said}.`}{' '}
        Start again in the program.
      </Text>
    </>
  );
}

function Consent({ asked }: { asked: Asked }) {
  const { data: client, error, refetch } = useQuery(ask(getAgentClient, { client_id: asked.clientId }));
  const { data: person } = useQuery(session);
  if (error instanceof ApiError && error.status === 404) return <UnknownProgram />;
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (client === undefined) return <Skeleton h={420} />;
  const name = client.name ?? 'A program without a name';
  return (
    <>
      <PageHead title="Let a program act for you?" />
      <Facts
        facts={[
          ...(client.host === null ? [] : [['Published at', <Host key="host" host={client.host} />] as const]),
          ['Program', <Said key="name" text={name} />],
          ...(client.uri === null ? [] : [['Its site', <Said key="uri" text={client.uri} />] as const]),
          ['The answer goes to', sayWhere(asked)],
          ['You are', person?.email ?? ''],
        ]}
      />
      <Notice tone="unsure" title="Go on only if you have just asked it to connect">
        <Text size="sm">{sayDoubt(client.host, asked)} Whoever runs it sees what you let it see.</Text>
      </Notice>
      <Decide asked={asked} />
    </>
  );
}

function Said({ text }: { text: string }) {
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      “{text}”{' '}
      <Text span size="xs" c="dimmed">
        as it says itself
      </Text>
    </span>
  );
}

function Host({ host }: { host: string }) {
  return (
    <Text span size="sm" fw={600}>
      {host}
    </Text>
  );
}

/** What of it all is certain, and what anybody could have said. */
function sayDoubt(host: string | null, { site }: Asked): string {
  if (host === null) return 'Anybody can give a program any name.';
  return site === null
    ? `${host} publishes this description: that is certain. Any program on this computer could use it, though.`
    : `Only ${host} is certain. Anybody can give a program any name.`;
}

function sayWhere({ site, scheme }: Asked): string {
  if (site !== null) return site;
  return scheme === null ? 'A program on this computer' : `The program on this computer that opens ${scheme} links`;
}

function UnknownProgram() {
  return (
    <>
      <PageHead title="Nothing to decide" />
      <Text>The program that asked is not registered here any more. Start again in the program.</Text>
    </>
  );
}

function Decide({ asked }: { asked: Asked }) {
  const [reach, setReach] = useState({ mayWrite: false, game: '' });
  const answering = useMutation({
    mutationFn: async (accept: boolean) => {
      if (accept) {
        await call(connectAgent, {
          client_id: asked.clientId,
          may_write: reach.mayWrite,
          ...(reach.game !== '' && { game: reach.game }),
        });
      }
      return answerConsent({ accept, scope: scopesOf(asked, reach.mayWrite), query: asked.query });
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  if (answering.isSuccess) return <Text role="status">Back to the program. You may close this page.</Text>;
  return (
    <Stack gap="md">
      <ReachFields value={reach} onChange={setReach} offersWrite={asked.asksToWrite} />
      {answering.error !== null && (
        <Problem error={answering.error} again={() => answering.mutate(answering.variables)} />
      )}
      <Group gap="sm">
        <Button loading={answering.isPending && answering.variables} onClick={() => answering.mutate(true)}>
          Allow
        </Button>
        <Button
          variant="default"
          loading={answering.isPending && !answering.variables}
          onClick={() => answering.mutate(false)}
        >
          Deny
        </Button>
        <Text size="sm" c="dimmed">
          You can end it at any time in your settings.
        </Text>
      </Group>
    </Stack>
  );
}
