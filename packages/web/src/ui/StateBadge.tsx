// States as badges: a coloured dot and a label, because not everyone can tell the colours apart.
import { Badge } from '@mantine/core';

/** The only colours that carry meaning. */
const TONES = { good: 'teal', busy: 'blue', unsure: 'yellow', bad: 'red', none: 'gray' } as const;
export type Tone = keyof typeof TONES;

/** Keeps the label from being cut off. */
const FULL_WIDTH = { minWidth: 'max-content', verticalAlign: 'middle' } as const;

export function StateBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge color={TONES[tone]} variant="dot" size="md" fz={12} tt="none" fw={500} style={FULL_WIDTH}>
      {children}
    </Badge>
  );
}
