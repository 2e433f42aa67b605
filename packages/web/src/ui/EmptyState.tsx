// Shown where a list is empty: what is missing, and what to do next.
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type EmptyStateProps = {
  children: ReactNode;
  /** What adds the first item, such as a `ChauffeurCommand`. */
  command?: ReactNode;
};

export function EmptyState({ children, command }: EmptyStateProps) {
  return (
    <Stack gap="xs" pb="xs" maw={640}>
      <Text size="sm">{children}</Text>
      {command}
    </Stack>
  );
}
