// A part of a report that is behind a fold; what is in it is made when it is opened.
import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import classes from './crashes.module.css';

type MoreProps = { title: string; count?: number; says?: string; children: ReactNode };

export function More({ title, count, says, children }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.more} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Text span fw={600} size="sm">
          {title}
        </Text>
        {(count !== undefined || says !== undefined) && (
          <Text span size="sm" c="dimmed">
            {count}
            {says}
          </Text>
        )}
      </summary>
      {isOpen && <div>{children}</div>}
    </details>
  );
}
