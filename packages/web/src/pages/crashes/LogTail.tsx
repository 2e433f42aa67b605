// The end of the log that came with a report, as plain text.
import { getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Bytes } from '../../ui/Bytes.tsx';
import { Problem } from '../../ui/Problem.tsx';
import classes from './crashes.module.css';
import { More } from './More.tsx';

type LogTailProps = { gameUid: string; crashId: string };

export function LogTail(props: LogTailProps) {
  return (
    <More title="Log">
      <Log {...props} />
    </More>
  );
}

function Log({ gameUid, crashId }: LogTailProps) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashLog, { uid: gameUid, crash_id: crashId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} again={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  if (data.text === '') return <Text size="sm">The log is empty.</Text>;
  return (
    <>
      {data.is_cut && (
        <Text size="sm" c="dimmed" mb={4}>
          The end of <Bytes count={data.size} />; download the log for all of it.
        </Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys as well */}
      <section tabIndex={0} aria-label="End of the log" className={classes.log}>
        {data.text}
      </section>
    </>
  );
}
