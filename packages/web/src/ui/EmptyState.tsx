// Shown where a list is empty: what is missing, and what to do next.
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from './CopyText.tsx';

type EmptyStateProps = {
  children: ReactNode;
  /** A command that adds the first item. */
  command?: string;
};

export function EmptyState({ children, command }: EmptyStateProps) {
  return (
    <Stack gap="xs" py="md" maw={640}>
      <Text size="sm">{children}</Text>
      {command !== undefined && <CopyText text={command} label="command" block />}
    </Stack>
  );
}
