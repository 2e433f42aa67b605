// A text that a program reported about itself, marked as unverified.
import { Text } from '@mantine/core';

export function Unverified({ text }: { text: string }) {
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      “{text}”{' '}
      <Text span size="xs" c="dimmed">
        unverified
      </Text>
    </span>
  );
}
