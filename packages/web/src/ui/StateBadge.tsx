// A state in its colour and in a word: colour alone says nothing to some.
import { Badge } from '@mantine/core';

/** The only colours with a meaning. */
const TONES = { good: 'teal', busy: 'blue', unsure: 'yellow', bad: 'red', none: 'gray' } as const;
export type Tone = keyof typeof TONES;

/** A word that is cut short says nothing. */
const WHOLE = { minWidth: 'max-content', verticalAlign: 'middle' } as const;

export function StateBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge color={TONES[tone]} variant="dot" size="md" fz={12} tt="none" fw={500} style={WHOLE}>
      {children}
    </Badge>
  );
}
