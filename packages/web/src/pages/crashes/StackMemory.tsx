// The memory of a thread's stack, a word in each row, with the functions that words point to.
import { formatNumber } from '@chauffeur/contract/format';
import type { ThreadDetail } from '@chauffeur/contract/operations/crash-threads';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { textOfWord } from './stack-text.ts';
import classes from './threads.module.css';

const SHOWN = 48;

const PROBLEMS: Readonly<Record<NonNullable<ThreadDetail['memory_problem']>, string>> = {
  reprocess:
    'This dump was processed before stack memory was kept. It is added when the dump is processed again, for example when more symbols arrive.',
  not_in_dump: "The dump doesn't contain the memory of this stack.",
};

type StackMemoryProps = { thread: ThreadDetail; label: string };

export function StackMemory({ thread: { memory, memory_problem: problem }, label }: StackMemoryProps) {
  const [isWhole, setWhole] = useState(false);
  if (problem !== null) return <Text size="sm">{PROBLEMS[problem]}</Text>;
  if (memory === null) return null;
  const words = isWhole ? memory.words : memory.words.slice(0, SHOWN);
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls, and needs the focus to scroll by keyboard */}
      <section tabIndex={0} aria-label={label} className={classes.memory}>
        <table>
          <thead>
            <tr>
              <th scope="col">Address</th>
              <th scope="col">Value</th>
              <th scope="col">Text</th>
              <th scope="col">Points to</th>
            </tr>
          </thead>
          <tbody>
            {words.map(({ address, value, points_to: target }) => (
              <tr key={address} data-pointer={address === memory.stack_pointer || undefined}>
                <td>
                  {address}
                  {address === memory.stack_pointer && ' ← stack pointer'}
                </td>
                <td>{value}</td>
                <td>{textOfWord(value)}</td>
                <td>{target ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {words.length < memory.words.length && (
        <Button variant="subtle" size="xs" mt={4} onClick={() => setWhole(true)}>
          {`Show all ${formatNumber(memory.words.length)} words`}
        </Button>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        Memory can contain personal data, such as parts of texts. Only members of the game can see it.
      </Text>
    </div>
  );
}
