// The result of the last channel change, with an undo button.
import { Button, Group } from '@mantine/core';
import { Notice } from '../../ui/Notice.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useKeptData } from '../../ui/use-kept-data.ts';
import type { Moves } from './use-moves.ts';

export function MoveResult({ moves }: { moves: Moves }) {
  const { error, isPending, variables } = moves;
  const data = useKeptData(moves);
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
