// One failed job: its kind, the first line of its last error with the rest behind it, and what can be done.
import { Box, Button, Code, Group, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Time } from '../../ui/Time.tsx';
import { Consequences } from '../channels/Consequences.tsx';
import type { FailedJob, JobStep } from './FailedJobsPage.tsx';

type FailedJobRowProps = { job: FailedJob; isBusy: boolean; onStep: (step: JobStep) => void };

export function FailedJobRow({ job, isBusy, onStep }: FailedJobRowProps) {
  const [deletes, setDeletes] = useState(false);
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {job.task}
        </Text>
        <Text size="xs" c="dimmed">
          {job.tries} tries · made <Time at={job.created_at} />
        </Text>
        <Box hiddenFrom="sm">
          <Reason error={job.error} />
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Reason error={job.error} />
      </Table.Td>
      <Table.Td>
        <Time at={job.failed_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Group gap={6} justify="flex-end">
          <Button
            size="compact-xs"
            variant="default"
            disabled={isBusy}
            aria-label={`Retry ${job.task}`}
            onClick={() => onStep({ kind: 'retry', job })}
          >
            Retry
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            disabled={isBusy}
            aria-label={`Delete ${job.task}`}
            onClick={() => setDeletes(true)}
          >
            Delete
          </Button>
        </Group>
        {deletes && (
          <ConfirmDialog
            title={`Delete this ${job.task}?`}
            does="Delete it"
            onConfirm={() => {
              setDeletes(false);
              onStep({ kind: 'delete', job });
            }}
            onClose={() => setDeletes(false)}
          >
            <Consequences lines={['What the job was to do stays undone, for good.']} />
          </ConfirmDialog>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Reason({ error }: { error: string | null }) {
  if (error === null) return 'Not told';
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
