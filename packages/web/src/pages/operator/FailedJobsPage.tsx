// Jobs that failed after all their attempts: why, and buttons to retry or delete them.
import type { OutputOf } from '@chauffeur/contract/operation';
import { deleteFailedJob, getServiceState, listFailedJobs, retryJobs } from '@chauffeur/contract/operations/operator';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { type Column, EmptyState } from '../../ui/DataTable.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { PagedTable, usePages } from '../../ui/PagedTable.tsx';
import { Consequences, PageHead } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';

type FailedJob = OutputOf<typeof listFailedJobs>['jobs'][number];
type JobAction = { kind: 'retry' | 'delete'; job: FailedJob } | { kind: 'retry-all' };

const REFRESH_MS = 3000;

export function FailedJobsPage() {
  const jobs = usePages(listFailedJobs, {}, (page) => page.jobs, { refetchInterval: REFRESH_MS });
  const action = useJobAction();
  return (
    <Stack gap="md">
      <PageHead title="Failed jobs">
        {jobs.rows !== undefined && jobs.rows.length > 0 && (
          <Button
            variant="default"
            loading={action.isPending && action.variables.kind === 'retry-all'}
            onClick={() => action.mutate({ kind: 'retry-all' })}
          >
            Retry all
          </Button>
        )}
      </PageHead>
      <div role="status">{action.data !== undefined && <Text size="sm">{action.data}</Text>}</div>
      {action.error !== null && <Problem error={action.error} />}
      <PagedTable
        label="Failed jobs"
        list={jobs}
        columns={jobColumns(action.isPending, action.mutate)}
        rowKey={({ job_id }) => job_id}
        skeletonRows={4}
        empty={<EmptyState>No failed jobs. Jobs that fail after all their attempts are listed here.</EmptyState>}
        more="Show older jobs"
      />
    </Stack>
  );
}

function useJobAction() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: runAction,
    onSettled: () =>
      Promise.all([listFailedJobs, getServiceState].map(({ id }) => queries.invalidateQueries({ queryKey: [id] }))),
  });
}

/** Retries or deletes jobs, and returns a message about what was done. */
async function runAction(action: JobAction): Promise<string> {
  if (action.kind === 'delete') {
    await call(deleteFailedJob, { job_id: action.job.job_id });
    return `Deleted ${action.job.task}. It will not run.`;
  }
  const { retried } = await call(retryJobs, action.kind === 'retry' ? { job_id: action.job.job_id } : {});
  return retried === 1 ? '1 job will be retried.' : `${retried} jobs will be retried.`;
}

type OnAction = (action: JobAction) => void;

function jobColumns(isBusy: boolean, onAction: OnAction): Column<FailedJob>[] {
  return [
    { header: 'Job', cell: (job) => <JobName job={job} /> },
    { header: 'Error', cell: ({ error }) => <JobError error={error} /> },
    { header: 'Failed', cell: ({ failed_at }) => <Time at={failed_at} /> },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (job) => <JobButtons job={job} isBusy={isBusy} onAction={onAction} />,
    },
  ];
}

function JobName({ job }: { job: FailedJob }) {
  return (
    <>
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {job.task}
      </Text>
      <Text size="xs" c="dimmed">
        {`Attempts: ${job.tries}`} · Created <Time at={job.created_at} />
      </Text>
    </>
  );
}

/** The first line of the error, with the others behind it. */
function JobError({ error }: { error: string | null }) {
  if (error === null) return 'No error message';
  const [first = '', ...rest] = error.split('\n');
  if (rest.length === 0) return <Text size="sm">{first}</Text>;
  return (
    <details>
      <summary>
        <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
          {first}
        </Text>
      </summary>
      <Code block>{rest.join('\n')}</Code>
    </details>
  );
}

function JobButtons({ job, isBusy, onAction }: { job: FailedJob; isBusy: boolean; onAction: OnAction }) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Group gap={6} justify="flex-end">
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          aria-label={`Retry ${job.task}`}
          onClick={() => onAction({ kind: 'retry', job })}
        >
          Retry
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          disabled={isBusy}
          aria-label={`Delete ${job.task}`}
          onClick={() => setConfirming(true)}
        >
          Delete
        </Button>
      </Group>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${job.task}?`}
          confirmLabel="Delete job"
          onConfirm={() => {
            setConfirming(false);
            onAction({ kind: 'delete', job });
          }}
          onClose={() => setConfirming(false)}
        >
          <Consequences lines={['This job will never run. This cannot be undone.']} />
        </ConfirmDialog>
      )}
    </>
  );
}
