// The latest calls that agents made for the person, including calls that concern no game.
import type { OutputOf } from '@chauffeur/contract/operation';
import { listOwnAgentCalls } from '@chauffeur/contract/operations/agents';
import { Stack, Text, Title } from '@mantine/core';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { PagedTable } from '../../ui/PagedTable.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { callColumns } from './call-columns.tsx';

type OwnCall = OutputOf<typeof listOwnAgentCalls>['calls'][number];

const PAGE_SIZE = 10;

export function LatestCalls() {
  const calls = usePages(listOwnAgentCalls, { limit: PAGE_SIZE }, (page) => page.calls);
  return (
    <Stack gap="md" component="section">
      <Title order={2} size="h4">
        Agent activity
      </Title>
      <Text size="sm">What agents did, or tried to do, for you through a connection or a personal key.</Text>
      <PagedTable
        label="Agent activity"
        list={calls}
        columns={COLUMNS}
        rowKey={({ call_id }) => call_id}
        empty={<EmptyState>No activity yet. Calls that agents make for you appear here.</EmptyState>}
        more="Show older calls"
      />
    </Stack>
  );
}

const COLUMNS = callColumns<OwnCall>({
  header: 'Game',
  cell: ({ game }) =>
    game === null ? (
      'No game'
    ) : (
      <SiteLink to="/dev/$slug" params={{ slug: game.slug }}>
        {game.name}
      </SiteLink>
    ),
});
