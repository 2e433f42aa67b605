// The head of a page: its title, badges and buttons.
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTitle } from '../frame/page-title.ts';

type PageHeadProps = {
  title: string;
  /** Title of the browser tab, if it differs. Undefined if another part of the page sets it. */
  tabTitle?: string | undefined;
  /** The class of the title, if it is in another font. */
  titleClass?: string | undefined;
  /** Shown next to the title. */
  badges?: ReactNode;
  /** Buttons at the end of the line. */
  children?: ReactNode;
};

export function PageHead(props: PageHeadProps) {
  const { title, titleClass, badges, children } = props;
  useTitle('tabTitle' in props ? props.tabTitle : title);
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="sm">
        <Title order={1} size="h2" className={titleClass} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {badges}
      </Group>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
