// All threads of a report. Each is loaded when it is opened: its frames, registers and the memory of its stack.
import { formatNumber } from '@chauffeur/contract/format';
import { getCrashThread, type ThreadSummary } from '@chauffeur/contract/operations/crash-threads';
import { Button, Stack as Rows, Skeleton, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { FoldedSection } from './FoldedSection.tsx';
import { formatFunction, formatLocation } from './format-stack.ts';
import { RegisterList } from './RegisterList.tsx';
import { Stack } from './Stack.tsx';
import { StackMemory } from './StackMemory.tsx';
import type { Crash } from './use-crash.ts';
import type { LinkOf } from './use-source.ts';
import { useThread, useThreads } from './use-threads.ts';

type ThreadsProps = { game: OpenGame; crash: Crash; linkOf: LinkOf };

/** With fewer threads, a filter would take more time than it saves. */
const FILTERED_FROM = 8;

export function ThreadList(props: ThreadsProps) {
  const { data, error, isPending, refetch } = useThreads(props.game.game_uid, props.crash);
  const [filter, setFilter] = useState('');
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton h={160} />;
  const shown = data.threads.filter((thread) => matches(thread, filter));
  return (
    <Rows gap={0}>
      {data.threads.length >= FILTERED_FROM && (
        <TextInput
          aria-label="Filter threads"
          placeholder="Filter by name, ID or function"
          size="xs"
          maw={320}
          mb="xs"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      {shown.map((thread) => (
        <FoldedSection key={thread.thread} title={formatThread(thread)} note={formatNote(thread)}>
          <Permitted operation={getCrashThread} to="see frames, registers and memory of other threads">
            <Thread {...props} thread={thread} />
          </Permitted>
        </FoldedSection>
      ))}
      {shown.length === 0 && <Text size="sm">No matching threads.</Text>}
      {data.more_threads > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {`More threads: ${formatNumber(data.more_threads)}. Download the stack to see all of them.`}
        </Text>
      )}
    </Rows>
  );
}

function matches({ name, thread_id, frame }: ThreadSummary, filter: string): boolean {
  const texts = [name ?? '', String(thread_id), frame?.function ?? '', frame?.module ?? ''];
  return texts.some((text) => text.toLowerCase().includes(filter.trim().toLowerCase()));
}

function formatThread({ thread_id, name }: ThreadSummary): string {
  return name === null ? `Thread ${thread_id}` : `Thread ${thread_id} · ${name}`;
}

const STATES: Readonly<Record<ThreadSummary['state'], string | null>> = {
  crashed: 'Crashed',
  running: 'Running',
  waiting: 'Waiting',
  unknown: null,
};

function formatNote({ state, frame }: ThreadSummary): string {
  const code = frame && (frame.function === null ? formatLocation(frame) : formatFunction(frame.function));
  return [STATES[state], code].filter((text) => text !== null).join(' · ') || 'No frames';
}

function Thread({ game, crash, linkOf, thread }: ThreadsProps & { thread: ThreadSummary }) {
  const { data, error, isPending, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useThread(
    game.game_uid,
    crash,
    thread.thread,
  );
  const first = data?.pages[0];
  if (error !== null && first === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (isPending || data === undefined || first === undefined) return <Skeleton h={160} />;
  const frames = data.pages.flatMap((page) => page.frames);
  const left = data.pages.at(-1)?.more_frames ?? 0;
  return (
    <Rows gap="sm">
      {frames.length === 0 ? (
        <Text size="sm">This thread has no frames.</Text>
      ) : (
        <Stack
          thread={{ ...first, frames, more_frames: 0, cut: first.is_cut && left === 0 }}
          label={`Stack of ${formatThread(thread)}`}
          linkOf={linkOf}
        />
      )}
      {error !== null && <Problem error={error} onRetry={() => void fetchNextPage()} />}
      {hasNextPage && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {`Show more frames (${formatNumber(left)} left)`}
        </Button>
      )}
      {first.last_error !== null && <Text size="sm">{`Last error: ${first.last_error}`}</Text>}
      <RegisterList registers={first.registers} />
      <StackMemory thread={first} label={`Stack memory of ${formatThread(thread)}`} />
    </Rows>
  );
}
