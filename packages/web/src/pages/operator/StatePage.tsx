// How the service is: what is wrong first, then each of its parts; asked for anew while the page is looked at.
import type { OutputOf } from '@chauffeur/contract/operation';
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
import { JobKinds } from './JobKinds.tsx';
import { DatabasePart, ProcessesPart, ScannerPart, StoragePart } from './parts.tsx';

export type ServiceState = OutputOf<typeof getServiceState>;

const REFRESH_MS = 3000;

export function StatePage() {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getServiceState, {}),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Stack gap="lg">
      <PageHead title="State of the service" marks={data === undefined ? null : <Overall problems={data.problems} />}>
        {data !== undefined && (
          <Text size="sm" c="dimmed">
            Asked <Time at={data.at} />
          </Text>
        )}
      </PageHead>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={420} />}
      {data !== undefined && <Parts state={data} />}
    </Stack>
  );
}

function Overall({ problems }: Pick<ServiceState, 'problems'>) {
  if (problems.some(({ level }) => level === 'bad')) return <StateBadge tone="bad">Something does not work</StateBadge>;
  return problems.length > 0 ? (
    <StateBadge tone="unsure">Works, with a remark</StateBadge>
  ) : (
    <StateBadge tone="good">All is well</StateBadge>
  );
}

function Parts({ state }: { state: ServiceState }) {
  return (
    <>
      <Stack gap="xs" component="section" aria-label="Problems">
        {state.problems.map((problem) => (
          <Notice key={problem.says} tone={problem.level} title={problem.says}>
            <Group gap="sm">
              <Text size="sm">{problem.remedy}</Text>
              {problem.part === 'queue' && state.queue.failed > 0 && problem.level === 'bad' && (
                <SiteLink to="/operator/jobs" size="sm">
                  See them
                </SiteLink>
              )}
            </Group>
          </Notice>
        ))}
      </Stack>
      <JobKinds queue={state.queue} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl" verticalSpacing="lg">
        <StoragePart storage={state.storage} />
        <DatabasePart database={state.database} totals={state.totals} />
        <ScannerPart scanner={state.scanner} />
        <ProcessesPart processes={state.processes} mail={state.mail} />
      </SimpleGrid>
    </>
  );
}
