// Shown instead of a page that failed to load.
import { Stack, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Problem } from '../ui/Problem.tsx';

export function PageProblem({ error, reset }: ErrorComponentProps) {
  return (
    <Stack gap="md" py="xl">
      <Title order={1} size="h2">
        This page couldn't be loaded
      </Title>
      <Problem error={error} onRetry={reset} />
    </Stack>
  );
}
