import { Code } from '@mantine/core';

/** A sentence from the server in which code is enclosed in backticks. */
export function TextWithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move
    index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
  );
}
