// The head of a page: what it is about, and what can be done there.
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from '../frame/page-title.ts';

type PageHeadProps = {
  title: string;
  /** Of the browser’s tab, where it is to say more. */
  tab?: string;
  /** Beside the title. */
  marks?: ReactNode;
  /** Buttons at the end of the line. */
  children?: ReactNode;
};

export function PageHead({ title, tab = title, marks, children }: PageHeadProps) {
  useTitle(tab);
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {marks}
      </Group>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
