// All threads of a report. The frames, registers and stack memory of a thread are loaded when it is opened.
import { formatNumber } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import {
  getCrashThread,
  listCrashThreads,
  type ThreadDetail,
  type ThreadSummary,
} from '@chauffeur/contract/operations/crash-threads';
import { Button, Stack as Rows, Skeleton, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { FoldedSection } from './FoldedSection.tsx';
import { formatFunction, formatLocation, textOfWord } from './format-stack.ts';
import { Stack } from './Stack.tsx';
import { RegisterList } from './StackDetails.tsx';
import classes from './threads.module.css';
import type { Crash, LinkOf } from './use-crash.ts';

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

const SHOWN = 48;

const PROBLEMS: Readonly<Record<NonNullable<ThreadDetail['memory_problem']>, string>> = {
  reprocess:
    'This dump was processed before stack memory was kept. It is added when the dump is processed again, for example when more symbols arrive.',
  not_in_dump: "The dump doesn't contain the memory of this stack.",
};

type StackMemoryProps = { thread: ThreadDetail; label: string };

/** The memory of a thread's stack, a word in each row, with the functions that words point to. */
function StackMemory({ thread: { memory, memory_problem: problem }, label }: StackMemoryProps) {
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

/**
 * Loads the threads of a report: their list, and one thread whole. Both load again when the dump is processed again.
 */
function useThreads(gameUid: string, { crash_id, processed_at }: Crash) {
  const input = { uid: gameUid, crash_id };
  return useQuery({
    queryKey: [listCrashThreads.id, input, processed_at],
    queryFn: ({ signal }) => call(listCrashThreads, input, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Frames that are loaded at once. */
const FRAMES = 200;

/** The first page has the registers and the memory; further pages only add frames. */
function useThread(gameUid: string, { crash_id, processed_at }: Crash, thread: number) {
  const input = { uid: gameUid, crash_id, thread: String(thread) };
  return useInfiniteQuery({
    queryKey: [getCrashThread.id, input, processed_at],
    queryFn: ({ pageParam: first, signal }) =>
      call(
        getCrashThread,
        { ...input, frames: FRAMES, ...(first === 0 ? { words: LIMITS.threadWords } : { first_frame: first }) },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: ({ first_frame, frames, more_frames }: ThreadDetail) =>
      more_frames > 0 ? first_frame + frames.length : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
