// A section of a page with its own heading.
import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type SectionProps = {
  title: string;
  /** Shown at the end of the heading's line. */
  actions?: ReactNode;
  children: ReactNode;
};

export function Section({ title, actions, children }: SectionProps) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
