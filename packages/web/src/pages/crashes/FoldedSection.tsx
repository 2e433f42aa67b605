// A section of a report that starts folded. Its content is rendered when it is opened.
import { Skeleton, Text } from '@mantine/core';
import { type ReactNode, Suspense, useState } from 'react';
import classes from './crashes.module.css';

type FoldedSectionProps = {
  title: string;
  /** Shown after the title: a count, or a short description. */
  note?: string | number;
  children: ReactNode;
};

export function FoldedSection({ title, note, children }: FoldedSectionProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.more} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Text span fw={600} size="sm">
          {title}
        </Text>
        {note !== undefined && (
          <Text span size="sm" c="dimmed">
            {note}
          </Text>
        )}
      </summary>
      {isOpen && (
        <div>
          <Suspense fallback={<Skeleton h={160} />}>{children}</Suspense>
        </div>
      )}
    </details>
  );
}
