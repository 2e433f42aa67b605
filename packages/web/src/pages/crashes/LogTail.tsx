// The end of the log that was sent with a report, as plain text.
import { getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { LogText } from './LogText.tsx';

type LogTailProps = { gameUid: string; crashId: string };

export function LogTail({ gameUid, crashId }: LogTailProps) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashLog, { uid: gameUid, crash_id: crashId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  return <LogText {...data} label="End of the log" kind="log" />;
}
