// The status of the service: problems first, then each component. The page polls while it is open.

import { getServiceState } from '@chauffeur/contract/operations/operator';
import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { QueueSection } from './QueueSection.tsx';
import { DatabaseSection, ProcessesSection, ScannerSection, StorageSection } from './StatusSections.tsx';
import type { ServiceState } from './service-state.ts';

const REFRESH_MS = 3000;

export function StatusPage() {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getServiceState, {}),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="lg">
      <PageHead title="Service status" badges={data !== undefined && <OverallStatus problems={data.problems} />}>
        {data !== undefined && (
          <Text size="sm" c="dimmed">
            Updated <Time at={data.at} />
          </Text>
        )}
      </PageHead>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data !== undefined && <Components state={data} />}
    </Stack>
  );
}

function OverallStatus({ problems }: Pick<ServiceState, 'problems'>) {
  if (problems.some(({ level }) => level === 'bad')) return <StateBadge tone="bad">Not working</StateBadge>;
  if (problems.length > 0) return <StateBadge tone="unsure">Degraded</StateBadge>;
  return <StateBadge tone="good">Operational</StateBadge>;
}

function Components({ state }: { state: ServiceState }) {
  return (
    <>
      <Stack gap="xs" component="section" aria-label="Problems">
        {state.problems.map((problem) => (
          <Notice key={problem.says} tone={problem.level} title={problem.says}>
            <Group gap="sm">
              <Text size="sm">{problem.remedy}</Text>
              {problem.part === 'queue' && state.queue.failed > 0 && problem.level === 'bad' && (
                <SiteLink to="/operator/jobs" size="sm">
                  View failed jobs
                </SiteLink>
              )}
            </Group>
          </Notice>
        ))}
      </Stack>
      <QueueSection queue={state.queue} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
        <StorageSection storage={state.storage} />
        <DatabaseSection database={state.database} totals={state.totals} />
        <ScannerSection scanner={state.scanner} />
        <ProcessesSection processes={state.processes} mail={state.mail} />
      </SimpleGrid>
    </>
  );
}
