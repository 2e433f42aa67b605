// The exceptions and threads of a report of Sentry's SDKs. The page of a report loads this code when it shows one.
import { Text } from '@mantine/core';
import { FoldedSection } from '../../ui/PageLayout.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Stack } from './Stack.tsx';
import type { Crash, LinkOf } from './use-crash.ts';

type CrashEvent = NonNullable<Crash['event']>;
type EventException = CrashEvent['exceptions'][number];

type EventProps = { event: CrashEvent; linkOf: LinkOf };

/** What was thrown, with its stack, and what led to it. */
export function EventExceptions({ event: { exceptions, platform }, linkOf }: EventProps) {
  const root = exceptions.findLastIndex(({ relation }) => relation === 'thrown' || relation === 'cause');
  return (
    <>
      {exceptions.map((exception, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no ID, and their order never changes
        <ExceptionStack key={index} exception={exception} isRoot={index === root && index > 0} linkOf={linkOf} />
      ))}
      <Text size="sm" c="dimmed" mt="xs">
        {`Sent by the client (${platform}).`}
      </Text>
    </>
  );
}

const RELATIONS: Readonly<Record<EventException['relation'], string>> = {
  thrown: '',
  cause: 'Caused by: ',
  sibling: 'At the same time: ',
  suppressed: 'Suppressed: ',
  handled: 'While handling: ',
};

/** They say no more than that it is an exception. */
const USUAL_MECHANISMS = ['', 'generic', 'chained'];

type ExceptionProps = { exception: EventException; isRoot: boolean; linkOf: LinkOf };

function ExceptionStack({ exception, isRoot, linkOf }: ExceptionProps) {
  const { relation, type, message, mechanism, is_handled: isHandled, frames, more_frames: more } = exception;
  return (
    <>
      <Text size="sm" mt={relation === 'thrown' ? 0 : 'md'} mb={6} style={{ overflowWrap: 'anywhere' }}>
        <Text span c="dimmed" size="sm">
          {RELATIONS[relation]}
        </Text>
        <b>{type || 'Error'}</b>
        {message === '' ? '' : `: ${message}`}{' '}
        {relation === 'thrown' && isHandled !== null && (
          <StateBadge tone={isHandled ? 'none' : 'bad'}>{isHandled ? 'Handled' : 'Unhandled'}</StateBadge>
        )}
        {isRoot && <StateBadge tone="none">Root cause</StateBadge>}
        {!USUAL_MECHANISMS.includes(mechanism) && (
          <Text span size="sm" c="dimmed">
            {` ${mechanism}`}
          </Text>
        )}
      </Text>
      {frames.length > 0 && (
        <Stack
          thread={{ thread_id: 0, name: null, frames, more_frames: more, cut: false }}
          label={`Stack of ${type || 'the error'}`}
          linkOf={linkOf}
          hasMore={false}
        />
      )}
    </>
  );
}

/** The threads as the client sent them. */
export function EventThreads({ event: { threads, more_threads: more }, linkOf }: EventProps) {
  return (
    <>
      {threads.map(({ name, is_crashed: isCrashed, frames, more_frames: left }, index) => (
        <FoldedSection
          // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, and the order never changes
          key={index}
          title={`Thread ${name}`}
          note={[isCrashed ? 'Crashed' : '', frames[0]?.function ?? 'No frames'].filter(Boolean).join(' · ')}
        >
          <Stack
            thread={{ thread_id: index, name, frames, more_frames: left, cut: false }}
            label={`Stack of thread ${name}`}
            linkOf={linkOf}
            hasMore={false}
          />
        </FoldedSection>
      ))}
      {more > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {`More threads: ${more}.`}
        </Text>
      )}
    </>
  );
}
