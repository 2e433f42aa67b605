// The contents of a report: its stack, missing symbols, and folded sections with everything else.

import { formatNumber } from '@chauffeur/contract/format';
import { getBreadcrumbs } from '@chauffeur/contract/operations/breadcrumbs';
import { getCrashAttachment } from '@chauffeur/contract/operations/crash-attachments';
import { type CrashStack, getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { requestCrashDownload } from '@chauffeur/contract/operations/crashes';
import { Code, Stack as Column, Group, Skeleton, Text } from '@mantine/core';
import { Suspense } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import type { OpenGame } from '../games/use-game.ts';
import { CopyStack } from './CopyStack.tsx';
import classes from './crashes.module.css';
import { Downloads } from './Downloads.tsx';
import { FoldedSection } from './FoldedSection.tsx';
import { MissingSymbols } from './MissingSymbols.tsx';
import { Stack } from './Stack.tsx';
import { type Crash, useStack } from './use-crash.ts';
import { useSource } from './use-source.ts';

/** Few reports have attachments. */
const Attachments = lazyPart(() => import('./Attachments.tsx'), 'Attachments');
/** Loaded when a section is opened. */
const ThreadList = lazyPart(() => import('./Threads.tsx'), 'ThreadList');
const ModuleTable = lazyPart(() => import('./StackDetails.tsx'), 'ModuleTable');
const SystemFacts = lazyPart(() => import('./StackDetails.tsx'), 'SystemFacts');
const RegisterList = lazyPart(() => import('./RegisterList.tsx'), 'RegisterList');
const LogTail = lazyPart(() => import('./LogTail.tsx'), 'LogTail');
const TextOrigin = lazyPart(() => import('./TextOrigin.tsx'), 'TextOrigin');
const Breadcrumbs = lazyPart(() => import('./Breadcrumbs.tsx'), 'Breadcrumbs');

export function CrashDetails({ game, crash }: { game: OpenGame; crash: Crash }) {
  const { data: stack, error, isLoading, refetch } = useStack(game.game_uid, crash);
  const linkOf = useSource(game.game_uid, crash.commit);
  const hasStack = crash.available.includes('stack');
  return (
    <>
      <Section
        title="Stack"
        actions={
          <Group gap="xs">
            {stack !== undefined && <CopyStack title={crash.title} stack={stack} />}
            <Permitted operation={requestCrashDownload}>
              <Downloads gameUid={game.game_uid} crash={crash} />
            </Permitted>
          </Group>
        }
      >
        {!hasStack && <Text size="sm">{formatMissingStack(crash)}</Text>}
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {isLoading && <Skeleton h={400} />}
        {stack !== undefined && stack.crashed !== null && (
          <Stack thread={stack.crashed} label="Stack of the crashed thread" linkOf={linkOf} />
        )}
        {stack !== undefined && stack.format !== null && (
          <Suspense>
            <TextOrigin stack={stack} linkOf={linkOf} />
          </Suspense>
        )}
        {stack !== undefined && stack.crashed === null && (
          <Text size="sm">The dump doesn't identify the crashed thread. All threads are listed below.</Text>
        )}
        {stack !== undefined && <MissingSymbols crash={crash} modules={stack.modules} />}
      </Section>
      <Permitted operation={getCrashAttachment}>
        {crash.attachments.length > 0 && (
          <Suspense>
            <Attachments game={game} crash={crash} />
          </Suspense>
        )}
      </Permitted>
      <Column gap={0} component="section" aria-label="More details">
        {stack !== undefined && stack.format === null && (
          <>
            <FoldedSection title="All threads" note={formatNumber(countThreads(stack))}>
              <ThreadList game={game} crash={crash} linkOf={linkOf} />
            </FoldedSection>
            <FoldedSection title="Modules" note={stack.modules.length + stack.more_modules}>
              <ModuleTable stack={stack} />
            </FoldedSection>
            {Object.keys(stack.registers).length > 0 && (
              <FoldedSection title="Registers" note="first frame">
                <RegisterList registers={stack.registers} />
              </FoldedSection>
            )}
            <FoldedSection title="Machine" note={`${stack.system.os} ${stack.system.cpu}`}>
              <SystemFacts stack={stack} />
            </FoldedSection>
          </>
        )}
        <Permitted operation={getCrashLog}>
          {crash.available.includes('log') && (
            <FoldedSection title="Log">
              <LogTail gameUid={game.game_uid} crashId={crash.crash_id} />
            </FoldedSection>
          )}
        </Permitted>
        <Permitted operation={getBreadcrumbs}>
          <FoldedSection title="Breadcrumbs">
            <Breadcrumbs gameUid={game.game_uid} crashId={crash.crash_id} />
          </FoldedSection>
        </Permitted>
        <Metadata metadata={crash.metadata} />
        <Permitted
          operation={requestCrashDownload}
          to="see logs, memory, breadcrumbs and attachments, and download files"
        >
          {null}
        </Permitted>
      </Column>
    </>
  );
}

function countThreads({ crashed, threads, more_threads: more }: CrashStack): number {
  return threads.length + more + (crashed === null ? 0 : 1);
}

function formatMissingStack({ state, failure }: Crash): string {
  if (failure !== null && state === 'failed') return 'No stack: the dump could not be read.';
  if (state === 'processed')
    return 'No stack: the report has no dump, and its text contains no stack in a known format. It is grouped by its message.';
  return state === 'received' ? 'Waiting for the dump.' : 'The dump has arrived and is queued for processing.';
}

function Metadata({ metadata }: Pick<Crash, 'metadata'>) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return null;
  return (
    <FoldedSection title="Metadata" note={entries.length}>
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
    </FoldedSection>
  );
}
