// Everything that one report holds: its stack, what it lacks, and behind folds the rest.
import { Code, Stack as Column, Group, Skeleton, Text } from '@mantine/core';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { CopyStack } from './CopyStack.tsx';
import classes from './crashes.module.css';
import { Downloads } from './Downloads.tsx';
import { LogTail } from './LogTail.tsx';
import { MissingSymbols } from './MissingSymbols.tsx';
import { More } from './More.tsx';
import { Stack } from './Stack.tsx';
import { Modules, OtherThreads, Registers, SystemFacts } from './StackDetails.tsx';
import { type Crash, useStack } from './use-crash.ts';

export function CrashDetails({ game, crash }: { game: OpenGame; crash: Crash }) {
  const { data: stack, error, isLoading, refetch } = useStack(game.game_uid, crash);
  const hasStack = crash.available.includes('stack');
  return (
    <>
      <Section
        title="Stack"
        actions={
          <Group gap="xs">
            {stack !== undefined && <CopyStack title={crash.title} stack={stack} />}
            <Downloads gameUid={game.game_uid} crash={crash} />
          </Group>
        }
      >
        {!hasStack && <Text size="sm">{sayWithoutStack(crash)}</Text>}
        {error !== null && <Problem error={error} again={() => void refetch()} />}
        {isLoading && <Skeleton h={320} />}
        {stack !== undefined && stack.crashed !== null && (
          <Stack thread={stack.crashed} label="Stack of the crashed thread" />
        )}
        {stack !== undefined && stack.crashed === null && (
          <Text size="sm">The dump does not tell which thread crashed; all of them are below.</Text>
        )}
        {stack !== undefined && <MissingSymbols crash={crash} modules={stack.modules} />}
      </Section>
      <Column gap={0} component="section" aria-label="More of this report">
        {stack !== undefined && (
          <>
            <OtherThreads stack={stack} />
            <Modules stack={stack} />
            <Registers stack={stack} />
            <SystemFacts stack={stack} />
          </>
        )}
        {crash.available.includes('log') && <LogTail gameUid={game.game_uid} crashId={crash.crash_id} />}
        <Metadata metadata={crash.metadata} />
      </Column>
    </>
  );
}

function sayWithoutStack({ state, failure }: Crash): string {
  if (failure !== null && state === 'failed') return 'The dump could not be read, so there is no stack.';
  if (state === 'processed')
    return 'The report came without a dump, so there is no stack: it is grouped by what it says.';
  return state === 'received' ? 'The dump has not come yet.' : 'The dump is there and is about to be read.';
}

function Metadata({ metadata }: Pick<Crash, 'metadata'>) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <More title="Metadata" count={entries.length}>
      <dl className={classes.registers}>
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              <Code>{String(value)}</Code>
            </dd>
          </div>
        ))}
      </dl>
    </More>
  );
}
