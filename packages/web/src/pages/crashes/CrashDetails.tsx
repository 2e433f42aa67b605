// The contents of a report: its stack, missing symbols, and folded sections with everything else.
import { formatNumber } from '@chauffeur/contract/format';
import {
  type DownloadKind,
  getCrashAttachment,
  requestCrashDownload,
} from '@chauffeur/contract/operations/crash-files';
import { type CrashStack, getCrashLog } from '@chauffeur/contract/operations/crash-stacks';
import { getBreadcrumbs } from '@chauffeur/contract/operations/events';
import { Button, Code, Stack as Column, Group, Kbd, Skeleton, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Suspense } from 'react';
import { call } from '../../api.ts';
import { lazyPart } from '../../frame/load-code.ts';
import { useShortcuts } from '../../frame/shortcuts.ts';
import { useCopy } from '../../ui/CopyText.tsx';
import { FoldedSection, Section } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import type { WalkStops } from './describe-stops.ts';
import { Stack } from './Stack.tsx';
import { formatStack } from './stack-frames.ts';
import { type Crash, useSource, useStack } from './use-crash.ts';

/** The code is loaded when it is needed, because few reports have attachments. */
const Attachments = lazyPart(async () => (await import('./Attachments.tsx')).Attachments);
/** The code of these parts is loaded when a section is opened. */
const ThreadList = lazyPart(async () => (await import('./Threads.tsx')).ThreadList);
const ModuleTable = lazyPart(async () => (await import('./Threads.tsx')).ModuleTable);
const SystemFacts = lazyPart(async () => (await import('./Threads.tsx')).SystemFacts);
const RegisterList = lazyPart(async () => (await import('./Threads.tsx')).RegisterList);
const LogTail = lazyPart(async () => (await import('./Attachments.tsx')).LogTail);
const TextOrigin = lazyPart(async () => (await import('./Threads.tsx')).TextOrigin);
const EventExceptions = lazyPart(async () => (await import('./EventStacks.tsx')).EventExceptions);
const EventThreads = lazyPart(async () => (await import('./EventStacks.tsx')).EventThreads);
const Breadcrumbs = lazyPart(async () => (await import('./Attachments.tsx')).Breadcrumbs);

type CrashDetailsProps = {
  game: OpenGame;
  crash: Crash;
  /** The modules that stopped the walks of its group. */
  stops?: WalkStops;
};

export function CrashDetails({ game, crash, stops = NO_STOPS }: CrashDetailsProps) {
  const { data: stack, error, isLoading, refetch } = useStack(game.game_uid, crash);
  const linkOf = useSource(game.game_uid, crash.commit);
  const hasStack = crash.available.includes('stack');
  const { event } = crash;
  const chain = event !== null && isChain(event, stack) ? event : null;
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
        {isLoading && chain === null && <Skeleton h={400} />}
        {chain !== null && (
          <Suspense fallback={<Skeleton h={400} />}>
            <EventExceptions event={chain} linkOf={linkOf} />
          </Suspense>
        )}
        {chain === null && stack !== undefined && stack.crashed !== null && (
          <Stack thread={stack.crashed} label="Stack of the crashed thread" linkOf={linkOf} />
        )}
        {chain === null && stack !== undefined && stack.format !== null && (
          <Suspense>
            <TextOrigin stack={stack} isOfEvent={event !== null} linkOf={linkOf} />
          </Suspense>
        )}
        {stack !== undefined && stack.crashed === null && (
          <Text size="sm">The dump doesn't identify the crashed thread. All threads are listed below.</Text>
        )}
        {stack !== undefined && <MissingSymbols crash={crash} modules={stack.modules} stops={stops} />}
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
        {event !== null && event.threads.length > 0 && stack?.format !== null && (
          <FoldedSection title="All threads" note={formatNumber(event.threads.length + event.more_threads)}>
            <EventThreads event={event} linkOf={linkOf} />
          </FoldedSection>
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
            <Breadcrumbs gameUid={game.game_uid} crash={crash} />
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

/**
 * Whether to show the exceptions of the event. Where the server looked up the functions of native code, its stack has
 * names that the client didn't know.
 */
function isChain({ exceptions, platform }: NonNullable<Crash['event']>, stack: CrashStack | undefined): boolean {
  const isLookedUp = stack === undefined ? platform === 'native' : stack.format === null;
  return !isLookedUp && exceptions.some(({ frames }) => frames.length > 0);
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

const COPY_SHORTCUTS = [{ name: 'copy', keys: ['y'], description: 'Copy stack as text' }] as const;

const COPY_LABELS = {
  idle: 'Copy stack',
  copied: 'Stack copied',
  failed: 'Copying was blocked by the browser',
} as const;

/** Copies the stack as text, with a button or the y key. */
function CopyStack({ title, stack }: { title: string; stack: CrashStack }) {
  const { state, copy } = useCopy();
  const copyStack = () => void copy(formatStack(title, stack));
  useShortcuts(COPY_SHORTCUTS, copyStack);
  return (
    <Button size="xs" variant="default" onClick={copyStack} rightSection={<Kbd size="xs">y</Kbd>} aria-live="polite">
      {COPY_LABELS[state]}
    </Button>
  );
}

const DOWNLOAD_LABELS: Readonly<Record<DownloadKind, { readonly short: string; readonly full: string }>> = {
  stack: { short: 'Stack', full: 'Download stack' },
  log: { short: 'Log', full: 'Download log' },
  dump: { short: 'Dump', full: 'Download dump' },
};

/** Buttons that download the dump, the log and the stack of a report. Each link is private and created on demand. */
function Downloads({ gameUid, crash }: { gameUid: string; crash: Crash }) {
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
          aria-label={DOWNLOAD_LABELS[kind].full}
        >
          ↓ {DOWNLOAD_LABELS[kind].short}
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

/** The code is loaded when symbols or unwind data are missing. */
const MissingGameSymbols = lazyPart(async () => (await import('./MissingGameSymbols.tsx')).MissingGameSymbols);

const NO_STOPS: WalkStops = { reports: 0, modules: [] };

type MissingSymbolsProps = { crash: Crash; modules: CrashStack['modules']; stops: WalkStops };

/** Modules without symbols or unwind data, or source maps that are missing, the reason, and the command that uploads them. */
function MissingSymbols({ crash, modules, stops }: MissingSymbolsProps) {
  const { slug } = useGame();
  const withoutSymbols = modules.filter(({ symbols }) => symbols === 'missing' || symbols === 'corrupt');
  const ofGame = withoutSymbols.filter((module) => module.own);
  const stopping = new Set(stops.modules.map(({ debug_file: file, debug_id: id }) => `${file}/${id}`));
  const ofSystem = withoutSymbols.filter(
    ({ own, debug_file: file, debug_id: id }) => !own && !stopping.has(`${file}/${id}`),
  );
  const lookups = new Map(
    crash.missing_symbols.map(({ module, debug_id, lookup }) => [`${module}/${debug_id}`, lookup]),
  );
  return (
    <>
      {(ofGame.length > 0 ||
        stops.modules.length > 0 ||
        (modules.length === 0 && crash.missing_symbols.length > 0)) && (
        <Suspense>
          <MissingGameSymbols slug={slug} crash={crash} modules={ofGame} stops={stops} />
        </Suspense>
      )}
      {formatSystemModules(ofSystem, lookups).map((text) => (
        <Text key={text} size="sm" c="dimmed">
          {text}
        </Text>
      ))}
    </>
  );
}

type Lookup = Crash['missing_symbols'][number]['lookup'];

/** Libraries of the player's system that have no symbols, and what the symbol servers of the service say. */
function formatSystemModules(modules: CrashStack['modules'], lookups: ReadonlyMap<string, Lookup>): readonly string[] {
  const byLookup = Map.groupBy(modules, ({ debug_file: file, debug_id: id }) => lookups.get(`${file}/${id}`) ?? null);
  return [...byLookup].map(([lookup, of]) => {
    const names = [...new Set(of.map(({ name }) => name))].join(', ');
    if (lookup === 'waiting')
      return `Symbols for libraries of the player's system are being looked up: ${names}. If they are found, this report is updated.`;
    const without = `No symbols for libraries of the player's system: ${names}.`;
    return lookup === 'absent' ? `${without} The symbol servers of this service don't have them.` : without;
  });
}
