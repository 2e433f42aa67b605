// Shown instead of a value that is missing or zero. On a phone, where a row is a block of lines, its line is left out.
import { Text } from '@mantine/core';

export function Nothing({ children = '–' }: { children?: string }) {
  return (
    <Text span size="sm" c="dimmed" data-nothing>
      {children}
    </Text>
  );
}
