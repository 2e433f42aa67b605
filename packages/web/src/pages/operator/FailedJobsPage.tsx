// Jobs that were given up: why, and the two things that can be done about each.
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteFailedJob, getServiceState, listFailedJobs, retryJobs } from '@chauffeur/contract/operations/operator';
import { Button, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { NextPage } from '../../ui/NextPage.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import table from '../../ui/table.module.css';
import { FailedJobRow } from './FailedJobRow.tsx';

export type FailedJob = OutputOf<typeof listFailedJobs>['jobs'][number];
export type JobStep = { kind: 'retry' | 'delete'; job: FailedJob } | { kind: 'retry-all' };

const REFRESH_MS = 3000;

export function FailedJobsPage() {
  const queries = useQueryClient();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: [listFailedJobs.id],
    queryFn: ({ pageParam: cursor, signal }) => call(listFailedJobs, cursor === '' ? {} : { cursor }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    refetchInterval: REFRESH_MS,
  });
  const steps = useMutation({
    mutationFn: runStep,
    onSettled: () =>
      Promise.all([listFailedJobs, getServiceState].map(({ id }) => queries.invalidateQueries({ queryKey: [id] }))),
  });
  const jobs = data?.pages.flatMap((page) => page.jobs) ?? [];
  return (
    <Stack gap="md">
      <PageHead title="Failed jobs">
        <Button
          variant="default"
          disabled={jobs.length === 0}
          loading={steps.isPending && steps.variables.kind === 'retry-all'}
          onClick={() => steps.mutate({ kind: 'retry-all' })}
        >
          Retry all
        </Button>
      </PageHead>
      <div role="status">{steps.data !== undefined && <Text size="sm">{steps.data}</Text>}</div>
      {steps.error !== null && <Problem error={steps.error} />}
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {data !== undefined && jobs.length === 0 && (
        <EmptyState>
          No job has failed. One that does not succeed after all its tries stands here until you decide.
        </EmptyState>
      )}
      {(isPending || jobs.length > 0) && (
        <Table className={table.table} aria-label="Failed jobs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Job</Table.Th>
              <Table.Th visibleFrom="sm">Why</Table.Th>
              <Table.Th>Failed</Table.Th>
              <Table.Th>
                <VisuallyHidden>Change</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isPending && <LoadingRows rows={4} columns={4} />}
            {jobs.map((job) => (
              <FailedJobRow key={job.job_id} job={job} isBusy={steps.isPending} onStep={(step) => steps.mutate(step)} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      <NextPage hasNextPage={hasNextPage} isFetchingNextPage={isFetchingNextPage} fetchNextPage={fetchNextPage}>
        Show older ones
      </NextPage>
    </Stack>
  );
}

/** Answers what it did, in words. */
async function runStep(step: JobStep): Promise<string> {
  if (step.kind === 'delete') {
    await call(deleteFailedJob, { job_id: step.job.job_id });
    return `${step.job.task} is deleted; what it was to do stays undone.`;
  }
  const { retried } = await call(retryJobs, step.kind === 'retry' ? { job_id: step.job.job_id } : {});
  return `${retried} ${retried === 1 ? 'job has its' : 'jobs have their'} tries again.`;
}
