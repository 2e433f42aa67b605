// A summary of the crash report attached to a ticket: the reason and the top of the stack.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getCrash } from '@chauffeur/contract/operations/crashes';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { CRASHES } from '../../ui/states.ts';
import classes from './BugsPage.module.css';

type Crash = OutputOf<typeof getCrash>;

const isFinal = (crash: Crash | undefined) => crash?.state === 'processed' || crash?.state === 'failed';

const REFRESH_MS = 3000;
const MAX_FRAMES = 6;

export function BugCrash({ gameUid, slug, crashId }: { gameUid: string; slug: string; crashId: string }) {
  const pollMs = useLiveInterval(REFRESH_MS);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrash, { uid: gameUid, crash_id: crashId }),
    refetchInterval: ({ state }) => (state.data === undefined || isFinal(state.data) ? false : pollMs),
    meta: follow('crashes'),
  });
  return (
    <Stack gap="xs" component="section" aria-label="Crash report">
      <Group gap="sm">
        <Title order={3} size="h5">
          Crash report
        </Title>
        {data !== undefined && <StateBadge tone={CRASHES[data.state].tone}>{CRASHES[data.state].label}</StateBadge>}
      </Group>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={96} />}
      {data !== undefined && <Excerpt crash={data} />}
      <SiteLink
        to="/dev/$slug/crashes/reports/$crashId"
        params={{ slug, crashId }}
        size="sm"
        style={{ alignSelf: 'flex-start' }}
      >
        Open report
      </SiteLink>
    </Stack>
  );
}

function Excerpt({ crash }: { crash: Crash }) {
  const { reason, failure, stack, available } = crash;
  if (failure !== null) return <Text size="sm">{failure}</Text>;
  const frames = stack.slice(0, MAX_FRAMES);
  return (
    <>
      {reason !== null && <Text size="sm">{reason}</Text>}
      {frames.length > 0 && (
        <ol className={classes.stack} aria-label="Top of the stack">
          {frames.map((frame, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a frame has no ID, and the order never changes
            <li key={index}>{formatFrame(frame)}</li>
          ))}
        </ol>
      )}
      {frames.length === 0 && available.includes('log') && <Text size="sm">The report has a log but no stack.</Text>}
    </>
  );
}

/** `Car::Turn (src/car.cc:12)`, or `game.exe + 0x10` for a frame without a name. */
function formatFrame({ function: name, module, offset, file, line }: Crash['stack'][number]): string {
  if (name === null)
    return offset === null ? (module ?? 'unknown module') : `${module ?? 'unknown module'} + ${offset}`;
  if (file === null) return name;
  return line === null ? `${name} (${file})` : `${name} (${file}:${line})`;
}
