// The crash report that came with a ticket, in short: what broke, and the top of its stack.
import type { OutputOf } from '@chauffeur/contract/operation';
import { getCrash } from '@chauffeur/contract/operations/crashes';
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import classes from './BugsPage.module.css';

type Crash = OutputOf<typeof getCrash>;

const STATES: Readonly<Record<Crash['state'], { tone: Tone; word: string; isFinal: boolean }>> = {
  received: { tone: 'none', word: 'No dump yet', isFinal: false },
  queued: { tone: 'busy', word: 'Waits to be read', isFinal: false },
  processing: { tone: 'busy', word: 'Being read', isFinal: false },
  processed: { tone: 'good', word: 'Read', isFinal: true },
  failed: { tone: 'bad', word: 'Not readable', isFinal: true },
};

const REFRESH_MS = 3000;
const FRAMES = 6;

export function BugCrash({ gameUid, slug, crashId }: { gameUid: string; slug: string; crashId: string }) {
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrash, { uid: gameUid, crash_id: crashId }),
    refetchInterval: ({ state }) => (state.data === undefined || STATES[state.data.state].isFinal ? false : REFRESH_MS),
  });
  return (
    <Stack gap="xs" component="section" aria-label="Crash report">
      <Group gap="sm">
        <Title order={3} size="h5">
          Crash report
        </Title>
        {data !== undefined && <StateBadge tone={STATES[data.state].tone}>{STATES[data.state].word}</StateBadge>}
      </Group>
      {error !== null && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Skeleton h={96} />}
      {data !== undefined && <Excerpt crash={data} />}
      <SiteLink
        to="/dev/$slug/crashes/reports/$crashId"
        params={{ slug, crashId }}
        size="sm"
        style={{ alignSelf: 'flex-start' }}
      >
        Open the report
      </SiteLink>
    </Stack>
  );
}

function Excerpt({ crash }: { crash: Crash }) {
  const { reason, failure, stack, available } = crash;
  if (failure !== null) return <Text size="sm">{failure}</Text>;
  const frames = stack.slice(0, FRAMES);
  return (
    <>
      {reason !== null && <Text size="sm">{reason}</Text>}
      {frames.length > 0 && (
        <ol className={classes.stack} aria-label="Top of the stack">
          {frames.map((frame, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a frame has nothing else, and never moves
            <li key={index}>{sayFrame(frame)}</li>
          ))}
        </ol>
      )}
      {frames.length === 0 && available.includes('log') && <Text size="sm">It has a log, and no stack.</Text>}
    </>
  );
}

function sayFrame({ function: name, module, offset, file, line }: Crash['stack'][number]): string {
  const where = file === null ? '' : ` (${file}${line === null ? '' : `:${line}`})`;
  if (name !== null) return `${name}${where}`;
  return `${module ?? 'unknown module'}${offset === null ? '' : ` + ${offset}`}`;
}
