// A line of the service’s own words in which names of code stand between backticks.
import { Code } from '@mantine/core';

export function Marked({ text }: { text: string }) {
  return text.split('`').map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
    place % 2 === 1 ? <Code key={place}>{part}</Code> : part,
  );
}
