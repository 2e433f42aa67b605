// Private links to the dump, the log and the stack of a report; each is asked for when it is needed.
import { type DownloadKind, requestCrashDownload } from '@chauffeur/contract/operations/crashes';
import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import type { Crash } from './use-crash.ts';

const NAMES: Readonly<Record<DownloadKind, string>> = { stack: 'Stack', log: 'Log', dump: 'Dump' };

export function Downloads({ gameUid, crash }: { gameUid: string; crash: Crash }) {
  const { crash_id, available } = crash;
  const asking = useMutation({
    mutationFn: (kind: DownloadKind) => call(requestCrashDownload, { uid: gameUid, crash_id, kind }),
    // What comes is a file: the page stays.
    onSuccess: ({ url }) => location.assign(url),
  });
  const { data, error, variables } = asking;
  return (
    <Group gap="xs" role="group" aria-label="Download">
      {available.map((kind) => (
        <Button
          key={kind}
          size="xs"
          variant="default"
          loading={asking.isPending && variables === kind}
          onClick={() => asking.mutate(kind)}
          aria-label={`Download the ${kind}`}
        >
          ↓ {NAMES[kind]}
        </Button>
      ))}
      <Text size="sm" c="dimmed" role="status" className={classes.live}>
        {data !== undefined && (
          <>
            {data.filename}: the link ends <Time at={data.expires_at} />
          </>
        )}
      </Text>
      {error !== null && variables !== undefined && <Problem error={error} again={() => asking.mutate(variables)} />}
    </Group>
  );
}
