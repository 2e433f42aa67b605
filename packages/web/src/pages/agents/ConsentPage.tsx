// The consent page: an agent asks to act for the person, who chooses its permissions and allows or denies it.
import { ApiError } from '@chauffeur/contract/errors';
import { connectAgent, getAgentClient } from '@chauffeur/contract/operations/agents';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { answerConsent } from '../../account-calls.ts';
import { ask, call } from '../../api.ts';
import { session } from '../../session.ts';
import { Facts, Unverified } from '../../ui/Facts.tsx';
import { Notice, PageHead, Panel } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { ReachFields } from './ReachFields.tsx';
import { type ConsentRequest, readConsentRequest, scopesOf } from './reach.ts';

const route = getRouteApi('/signed-in/consent');

export function ConsentPage() {
  const { request = '' } = route.useSearch();
  const consent = readConsentRequest(request);
  return (
    <Panel gap="lg">{consent === null ? <InvalidRequest request={request} /> : <Consent consent={consent} />}</Panel>
  );
}

function InvalidRequest({ request }: { request: string }) {
  const reason = new URLSearchParams(request).get('error_description');
  return (
    <>
      <PageHead title="Invalid request" />
      <Text>This page connects an agent to your account. Connect again from the agent.</Text>
      {reason !== null && (
        <Text size="sm" c="dimmed">
          Reason: {reason}
        </Text>
      )}
      <SiteLink to="/settings/agents">Connected agents</SiteLink>
    </>
  );
}

function Consent({ consent }: { consent: ConsentRequest }) {
  const { data: client, error, refetch } = useQuery(ask(getAgentClient, { client_id: consent.clientId }));
  const { data: person } = useQuery(session);
  if (error instanceof ApiError && error.status === 404) return <UnknownAgent />;
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (client === undefined) return <Skeleton h={420} />;
  const name = client.name ?? 'Unnamed agent';
  return (
    <>
      <PageHead title="Let an agent act for you?" />
      <Facts
        facts={[
          ...(client.host === null ? [] : [['Published at', <Host key="host" host={client.host} />] as const]),
          ['Agent', <Unverified key="name" text={name} />],
          ...(client.uri === null ? [] : [['Website', <Unverified key="uri" text={client.uri} />] as const]),
          ['Access goes to', formatRecipient(consent)],
          ['Your account', person?.email ?? ''],
        ]}
      />
      <Notice tone="unsure" title="Continue only if you started this yourself">
        <Text size="sm">{warningOf(client.host, consent)}</Text>
        <Text size="sm">The agent's operator can see everything you give it access to.</Text>
      </Notice>
      <Decide consent={consent} />
    </>
  );
}

function Host({ host }: { host: string }) {
  return (
    <Text span size="sm" fw={600}>
      {host}
    </Text>
  );
}

/** Which of the facts are verified. */
function warningOf(host: string | null, { site }: ConsentRequest): string {
  if (host === null) return 'The name is not verified. Any program can use any name.';
  return site === null
    ? `The description is published at ${host}, but any program on this computer could use it.`
    : `Only ${host} is verified. Any program can use any name.`;
}

function formatRecipient({ site, scheme }: ConsentRequest): string {
  if (site !== null) return site;
  return scheme === null ? 'A program on this computer' : `The program on this computer that opens ${scheme} links`;
}

function UnknownAgent() {
  return (
    <>
      <PageHead title="Unknown agent" />
      <Text>This agent is no longer registered. Connect again from the agent.</Text>
      <SiteLink to="/settings/agents">Connected agents</SiteLink>
    </>
  );
}

function Decide({ consent }: { consent: ConsentRequest }) {
  const [reach, setReach] = useState({ mayWrite: false, game: '' });
  const answering = useMutation({
    mutationFn: async (accept: boolean) => {
      if (accept) {
        await call(connectAgent, {
          client_id: consent.clientId,
          may_write: reach.mayWrite,
          ...(reach.game !== '' && { game: reach.game }),
        });
      }
      return answerConsent({ accept, scope: scopesOf(consent, reach.mayWrite), query: consent.query });
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  if (answering.isSuccess) return <Text role="status">Done. You can close this page and return to the agent.</Text>;
  return (
    <Stack gap="md">
      <ReachFields value={reach} onChange={setReach} offersWrite={consent.asksToWrite} />
      {answering.error !== null && (
        <Problem error={answering.error} onRetry={() => answering.mutate(answering.variables)} />
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
          You can disconnect it at any time in your settings.
        </Text>
      </Group>
    </Stack>
  );
}
