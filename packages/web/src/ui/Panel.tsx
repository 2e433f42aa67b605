// A page with a single purpose, such as a form or a decision, as one narrow column. Its look is in site-frame.css, because
// public pages have it too.
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';

type PanelProps = {
  /** `narrow` for account forms. */
  size?: 'narrow' | 'normal';
  gap?: 'md' | 'lg';
  role?: 'status';
  children: ReactNode;
};

export function Panel({ size = 'normal', gap = 'md', role, children }: PanelProps) {
  return (
    <Stack className="panel" data-size={size} gap={gap} role={role}>
      {children}
    </Stack>
  );
}
