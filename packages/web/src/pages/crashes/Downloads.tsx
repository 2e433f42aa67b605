// Buttons that download the dump, the log and the stack of a report. Each link is private and created on demand.
import { type DownloadKind, requestCrashDownload } from '@chauffeur/contract/operations/crashes';
import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import type { Crash } from './use-crash.ts';

const LABELS: Readonly<Record<DownloadKind, { readonly short: string; readonly full: string }>> = {
  stack: { short: 'Stack', full: 'Download stack' },
  log: { short: 'Log', full: 'Download log' },
  dump: { short: 'Dump', full: 'Download dump' },
};

export function Downloads({ gameUid, crash }: { gameUid: string; crash: Crash }) {
  const { crash_id, available } = crash;
  const download = useMutation({
    mutationFn: (kind: DownloadKind) => call(requestCrashDownload, { uid: gameUid, crash_id, kind }),
    // The response is a file, so the browser stays on this page.
    onSuccess: ({ url }) => location.assign(url),
  });
  const { data, error, variables } = download;
  return (
    <Group gap="xs" role="group" aria-label="Download">
      {available.map((kind) => (
        <Button
          key={kind}
          size="xs"
          variant="default"
          loading={download.isPending && variables === kind}
          onClick={() => download.mutate(kind)}
          aria-label={LABELS[kind].full}
        >
          ↓ {LABELS[kind].short}
        </Button>
      ))}
      <Text size="sm" c="dimmed" role="status" className={classes.live}>
        {data !== undefined && (
          <>
            Link to {data.filename} expires <Time at={data.expires_at} />
          </>
        )}
      </Text>
      {error !== null && variables !== undefined && (
        <Problem error={error} onRetry={() => download.mutate(variables)} />
      )}
    </Group>
  );
}
