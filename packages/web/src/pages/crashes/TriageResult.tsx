// What the last change of crash groups did, and a button that undoes it.
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useKeptData } from '../../ui/use-kept-data.ts';
import type { Triage } from './use-triage.ts';

export function TriageResult({ triage, children }: { triage: Triage; children?: ReactNode }) {
  const { error, isPending, variables } = triage;
  const data = useKeptData(triage);
  if (error !== null && variables !== undefined)
    return <Problem error={error} onRetry={() => triage.mutate(variables)} />;
  return (
    <div role="status">
      {data !== undefined && (
        <Notice tone="good" title={data.message}>
          <Group>
            {data.changeUid !== null && (
              <Button
                size="compact-sm"
                variant="default"
                loading={isPending}
                onClick={() => triage.mutate({ kind: data.isUndone ? 'redo' : 'undo', changeUid: data.changeUid! })}
              >
                {data.isUndone ? 'Redo' : 'Undo'}
              </Button>
            )}
            {children}
          </Group>
        </Notice>
      )}
    </div>
  );
}
