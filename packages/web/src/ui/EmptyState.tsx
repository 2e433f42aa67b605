// What stands where a list would: why there is nothing, and what makes it fill.
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from './CopyText.tsx';

type EmptyStateProps = {
  children: ReactNode;
  /** The command that fills it. */
  command?: string;
};

export function EmptyState({ children, command }: EmptyStateProps) {
  return (
    <Stack gap="xs" py="md" maw={640}>
      <Text size="sm">{children}</Text>
      {command !== undefined && <CopyText text={command} what="command" whole />}
    </Stack>
  );
}
