// The end of the log that was sent with a report, as plain text.
import { getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Bytes } from '../../ui/Bytes.tsx';
import { Problem } from '../../ui/Problem.tsx';
import classes from './crashes.module.css';
import { FoldedSection } from './FoldedSection.tsx';

type LogTailProps = { gameUid: string; crashId: string };

export function LogTail(props: LogTailProps) {
  return (
    <FoldedSection title="Log">
      <Log {...props} />
    </FoldedSection>
  );
}

function Log({ gameUid, crashId }: LogTailProps) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashLog, { uid: gameUid, crash_id: crashId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  return <LogText {...data} label="End of the log" kind="log" />;
}

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
