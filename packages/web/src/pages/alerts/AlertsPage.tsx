// The alerts of a game: which are sent, when and where, and what was sent.
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  getAlerts,
  listAlertDeliveries,
  listAlertDestinations,
  redeliverAlert,
  subscribeToAlerts,
  updateAlerts,
} from '@chauffeur/contract/operations/alerts';
import { Button, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, call } from '../../api.ts';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { PageHead, Section } from '../../ui/PageLayout.tsx';
import { Permitted, PermittedFields } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { useGame } from '../games/use-game.ts';
import { type AlertSettings, Rules, Schedule } from './AlertRules.tsx';
import { Destinations } from './Destinations.tsx';

export function AlertsPage() {
  const game = useGame();
  const uid = game.game_uid;
  const { data, error, refetch } = useQuery(ask(getAlerts, { uid }));
  return (
    <Stack gap="lg">
      <Stack gap="lg">
        <PageHead title="Alerts" tabTitle={`Alerts · ${game.name}`} />
        <Text size="sm">
          Get notified about this game by email, in a chat or by webhook. See <DocLink page="alerts">Alerts</DocLink>.
        </Text>
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined ? (
          error === null && <Skeleton h={{ base: 1400, sm: 960 }} />
        ) : (
          <>
            <Section title="Email">
              <EmailSection uid={uid} email={data.mail} />
            </Section>
            <Section title="Chats and webhooks">
              <Permitted operation={listAlertDestinations} to="see and change them">
                <Destinations uid={uid} />
              </Permitted>
            </Section>
            <Section title="What is sent">
              <PermittedFields operation={updateAlerts} to="change these rules">
                <Rules uid={uid} settings={data} />
              </PermittedFields>
            </Section>
            <Section title="When it is sent">
              <PermittedFields operation={updateAlerts}>
                <Schedule key={uid} uid={uid} settings={data} />
              </PermittedFields>
            </Section>
          </>
        )}
      </Stack>
      <Section title="Messages from the last 30 days">
        <Permitted operation={listAlertDeliveries} to="see them">
          <Deliveries uid={uid} />
        </Permitted>
      </Section>
    </Stack>
  );
}

function EmailSection({ uid, email: { subscribed, subscribers } }: { uid: string; email: AlertSettings['mail'] }) {
  const queries = useQueryClient();
  const choosing = useMutation({
    mutationFn: (choice: boolean) => call(subscribeToAlerts, { uid, subscribed: choice }),
    onSuccess: (changed) => queries.setQueryData(ask(getAlerts, { uid }).queryKey, changed),
  });
  return (
    <>
      <Switch
        label="Email me this game's alerts"
        description={subscribers.length === 0 ? 'No one gets them by email.' : `Sent to ${subscribers.join(', ')}`}
        checked={subscribed}
        disabled={choosing.isPending}
        onChange={({ currentTarget }) => choosing.mutate(currentTarget.checked)}
      />
      {choosing.error !== null && <Problem error={choosing.error} />}
    </>
  );
}

type Delivery = OutputOf<typeof listAlertDeliveries>['deliveries'][number];

const STATES: Readonly<Record<Delivery['state'], { tone: Tone; label: string }>> = {
  waiting: { tone: 'busy', label: 'Waiting' },
  sent: { tone: 'good', label: 'Sent' },
  failed: { tone: 'bad', label: 'Failed' },
};

/** The log of the messages about a game: what was sent to whom, and what failed. */
function Deliveries({ uid }: { uid: string }) {
  const queries = useQueryClient();
  const list = usePages(listAlertDeliveries, { uid }, (page) => page.deliveries);
  const again = useMutation({
    mutationFn: (delivery: Delivery) => call(redeliverAlert, { uid, delivery_uid: delivery.delivery_uid }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [listAlertDeliveries.id] }),
  });
  const columns: Column<Delivery>[] = [
    {
      header: 'Message',
      overflow: 'anywhere',
      cell: ({ subject, to, created_at }) => (
        <>
          {subject}
          <Text size="sm" c="dimmed">
            to {to}, <Time at={created_at} />
          </Text>
        </>
      ),
    },
    {
      header: 'State',
      cell: ({ state, attempts, problem }) => (
        <>
          <StateBadge tone={STATES[state].tone}>{STATES[state].label}</StateBadge>
          {attempts > 1 && ` ${attempts} attempts`}
          {problem !== null && (
            <Text size="sm" c="dimmed">
              {problem}
            </Text>
          )}
        </>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (delivery) =>
        delivery.state !== 'waiting' && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Send again to ${delivery.to}: ${delivery.subject}`}
            loading={again.isPending && again.variables === delivery}
            onClick={() => again.mutate(delivery)}
          >
            Send again
          </Button>
        ),
    },
  ];
  return (
    <>
      {again.error !== null && <Problem error={again.error} />}
      <PagedTable
        label="Messages"
        list={list}
        columns={columns}
        rowKey={({ delivery_uid }) => delivery_uid}
        empty={<EmptyState>No messages yet.</EmptyState>}
        more="Show older messages"
      />
    </>
  );
}
