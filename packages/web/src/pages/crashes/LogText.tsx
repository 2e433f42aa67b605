// The end of a log or another text, which scrolls.
import { Text } from '@mantine/core';
import { Bytes } from '../../ui/Bytes.tsx';
import classes from './crashes.module.css';

type LogTextProps = { text: string; size: number; is_cut: boolean; label: string; kind: 'log' | 'file' };

/** The end of a log or another text. */
export function LogText({ text, size, is_cut, label, kind }: LogTextProps) {
  if (text === '') return <Text size="sm">{`The ${kind} is empty.`}</Text>;
  return (
    <>
      {is_cut && (
        <Text size="sm" c="dimmed" mb={4}>
          {`Only the end is shown. Download the ${kind} to read all `}
          <Bytes count={size} />.
        </Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the log scrolls, and needs the focus to scroll by keyboard */}
      <section tabIndex={0} aria-label={label} className={classes.log}>
        {text}
      </section>
    </>
  );
}
