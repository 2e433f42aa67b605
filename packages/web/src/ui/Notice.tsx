// A highlighted message with a coloured line at its side.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Notice.module.css';
import type { Tone } from './StateBadge.tsx';

type NoticeProps = { tone: Tone; title: string; children?: ReactNode };

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div className={classes.notice} data-tone={tone}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      {children}
    </div>
  );
}
