// The result of the last channel change, with an undo button.
import { Button, Group } from '@mantine/core';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { Moves } from './use-moves.ts';

export function MoveResult({ moves }: { moves: Moves }) {
  const { data, error, isPending, variables } = moves;
  if (error !== null && variables !== undefined)
    return <Problem error={error} onRetry={() => moves.mutate(variables)} />;
  const undo = data?.undo ?? null;
  return (
    <div role="status">
      {data !== undefined && (
        <Notice tone="good" title={data.message}>
          {undo !== null && (
            <Group>
              <Button size="compact-sm" variant="default" loading={isPending} onClick={() => moves.mutate(undo)}>
                Undo
              </Button>
            </Group>
          )}
        </Notice>
      )}
    </div>
  );
}
