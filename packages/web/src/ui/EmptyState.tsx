// Shown where a list is empty: what is missing, and what to do next.
import type { JsonRequest } from '@chauffeur/contract/shell';
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from './CopyText.tsx';
import { RequestCommand } from './RequestCommand.tsx';

type EmptyStateProps = {
  children: ReactNode;
  /** A command that adds the first item. */
  command?: string;
  /** A request that adds the first item, as a command for the visitor's shell. */
  request?: JsonRequest;
};

export function EmptyState({ children, command, request }: EmptyStateProps) {
  return (
    <Stack gap="xs" pb="xs" maw={640}>
      <Text size="sm">{children}</Text>
      {command !== undefined && <CopyText text={command} label="command" block />}
      {request !== undefined && <RequestCommand request={request} label="command" />}
    </Stack>
  );
}
