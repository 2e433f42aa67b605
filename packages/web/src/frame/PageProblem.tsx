// What a page shows when what it needs could not be had.
import { Stack, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from '../ui/Problem.tsx';

export function PageProblem({ error, reset }: ErrorComponentProps) {
  return (
    <Stack gap="md" py="xl">
      <Title order={1} size="h2">
        This page could not be shown
      </Title>
      <Problem error={error} again={reset} />
    </Stack>
  );
}
