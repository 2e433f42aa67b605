// The log of the messages about a game: what was sent to whom, and what failed.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listAlertDeliveries, redeliverAlert } from '@chauffeur/contract/operations/alerts';
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

type Delivery = OutputOf<typeof listAlertDeliveries>['deliveries'][number];

const STATES: Readonly<Record<Delivery['state'], { tone: Tone; label: string }>> = {
  waiting: { tone: 'busy', label: 'Waiting' },
  sent: { tone: 'good', label: 'Sent' },
  failed: { tone: 'bad', label: 'Failed' },
};

export function Deliveries({ uid }: { uid: string }) {
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
