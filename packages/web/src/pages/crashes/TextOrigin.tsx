// What a stack from the text of a report has in addition: further exceptions, and the format of the text.

import type { CrashStack, RelatedException } from '@chauffeur/contract/operations/crash-stacks';
import { Text } from '@mantine/core';
import { Stack } from './Stack.tsx';
import type { LinkOf } from './use-source.ts';

export function TextOrigin({ stack, linkOf }: { stack: CrashStack; linkOf: LinkOf }) {
  return (
    <>
      {stack.related.map((exception, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exceptions have no ID, and their order never changes
        <RelatedStack key={index} exception={exception} linkOf={linkOf} />
      ))}
      <Text size="sm" c="dimmed" mt="xs">
        {`Read from the text of the report (${stack.format}).`}
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
