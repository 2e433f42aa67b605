// What the folded sections of a report show about its stacks: all threads, modules, registers, the player's machine,
// and the exceptions of a text. The frames, registers and memory of a thread are loaded when it is opened.
import { formatDuration, formatNumber } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import {
  type CrashStack,
  getCrashThread,
  listCrashThreads,
  type RelatedException,
  type ThreadDetail,
  type ThreadSummary,
} from '@chauffeur/contract/operations/crash-stacks';
import { Button, Stack as Rows, Skeleton, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { CopyText } from '../../ui/CopyText.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { FoldedSection } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import crashesClasses from './crashes.module.css';
import { Stack } from './Stack.tsx';
import { formatFunction, formatLocation, textOfWord } from './stack-frames.ts';
import classes from './threads.module.css';
import type { Crash, LinkOf } from './use-crash.ts';

type ThreadsProps = { game: OpenGame; crash: Crash; linkOf: LinkOf };

/** The number of threads from which there is a filter. With fewer, it would take more time than it saves. */
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

/** The number of frames that are loaded at once. */
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

type TextOriginProps = { stack: CrashStack; isOfEvent: boolean; linkOf: LinkOf };

/** Shows what only a stack from the text of a report has: further exceptions, and the format of the text. */
export function TextOrigin({ stack, isOfEvent, linkOf }: TextOriginProps) {
  return (
    <>
      {stack.related.map((exception, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no ID, and their order never changes
        <RelatedStack key={index} exception={exception} linkOf={linkOf} />
      ))}
      <Text size="sm" c="dimmed" mt="xs">
        {isOfEvent ? `Sent by the client (${stack.format}).` : `Read from the text of the report (${stack.format}).`}
      </Text>
    </>
  );
}

const RELATIONS: Readonly<Record<RelatedException['relation'], string>> = {
  consequence: 'Led to',
  suppressed: 'Suppressed',
  handled: 'Thrown while handling',
  sibling: 'At the same time',
};

/** Another exception of the text, with its frames. */
function RelatedStack({ exception, linkOf }: { exception: RelatedException; linkOf: LinkOf }) {
  const { relation, type, message, frames } = exception;
  const thread = { thread_id: 0, name: null, frames, more_frames: 0, cut: false };
  return (
    <>
      <Text size="sm" mt="md" style={{ overflowWrap: 'anywhere' }}>
        <Text span c="dimmed" size="sm">
          {`${RELATIONS[relation]}: `}
        </Text>
        <b>{type || 'Error'}</b>
        {message === '' ? '' : `: ${message}`}
      </Text>
      {frames.length > 0 && <Stack thread={thread} label={`Stack of ${type || 'another error'}`} linkOf={linkOf} />}
    </>
  );
}

type StackProps = { stack: CrashStack };

type Module = CrashStack['modules'][number];

const SYMBOLS: Readonly<Record<Module['symbols'], { tone: Tone; label: string }>> = {
  loaded: { tone: 'good', label: 'Used' },
  not_needed: { tone: 'none', label: 'Not needed' },
  missing: { tone: 'unsure', label: 'Missing' },
  corrupt: { tone: 'bad', label: 'Unreadable' },
};

const MODULE_COLUMNS: readonly Column<Module>[] = [
  {
    header: 'Module',
    overflow: 'anywhere',
    cell: ({ name, version, problem }) => (
      <>
        {name}{' '}
        <Text span size="sm" c="dimmed">
          {version}
        </Text>
        {problem !== null && <Text size="sm">{problem}</Text>}
      </>
    ),
  },
  {
    header: 'Symbols',
    cell: ({ symbols }) => <StateBadge tone={SYMBOLS[symbols].tone}>{SYMBOLS[symbols].label}</StateBadge>,
  },
  {
    header: 'Debug ID',
    hiddenBelow: 'sm',
    cell: ({ name, debug_id: id }) => (id === '' ? '–' : <CopyText text={id} label={`debug ID of ${name}`} />),
  },
  {
    header: 'Addresses',
    hiddenBelow: 'md',
    className: crashesClasses.code,
    cell: ({ base, end }) => `${base}–${end}`,
  },
];

export function ModuleTable({ stack: { modules, more_modules: more } }: StackProps) {
  return (
    <>
      <DataTable
        label="Modules"
        keepsColumns
        columns={MODULE_COLUMNS}
        rows={modules}
        rowKey={(module) => `${module.base} ${module.name}`}
      />
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {`More modules: ${more}. Download the stack to see all of them.`}
        </Text>
      )}
    </>
  );
}

export function SystemFacts({ stack }: StackProps) {
  const { system, uptime_seconds: uptime, warnings } = stack;
  const facts: Fact[] = [
    ['OS', `${system.os} ${system.os_version}`],
    ['CPU', [system.cpu, system.cpu_info].filter((text) => text !== null).join(', ')],
    ['CPU cores', String(system.cpu_count)],
    ['Dump created', <Time key="at" at={stack.written_at} />],
    ...(uptime === null ? [] : [['Uptime', formatDuration(Math.round(uptime))] as const]),
  ];
  return (
    <>
      <Facts facts={facts} />
      {warnings.length > 0 && (
        <>
          <Text size="sm" fw={600} mt="sm">
            Problems in the dump
          </Text>
          <ul className={crashesClasses.notes}>
            {[...new Set(warnings)].map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The registers of a thread. The server sends them in the usual order for the CPU. */
export function RegisterList({ registers }: { registers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(registers);
  if (entries.length === 0) return <Text size="sm">The dump has no registers of this thread.</Text>;
  return (
    <dl className={crashesClasses.registers} aria-label="Registers">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
