// A crash group: what broke, how often and where, the stack of its latest report, and what is done about it.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { getCrashGroup } from '@chauffeur/contract/operations/crash-groups';
import { changeCrashGroups, updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { ask } from '../../api.ts';
import { useGoBack } from '../../frame/going-back.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { lazyPart } from '../../frame/load-code.ts';
import { useTitle } from '../../frame/page-title.ts';
import { isMissing, UnknownPage } from '../../frame/UnknownPage.tsx';
import { Notice, PageHead, Trail } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { CrashDetails } from './CrashDetails.tsx';
import classes from './crashes.module.css';
import { GroupBadge, type NewestBuild, StatusButtons, TriageResult } from './GroupStatus.tsx';
import { GroupFacts, TriageFacts, WhatBroke } from './GroupSummary.tsx';
import { TrendChart } from './TrendChart.tsx';
import { type Crash, useCrash, useStack } from './use-crash.ts';
import { type ListedReport, useReports } from './use-live-list.ts';
import { type GroupDetail, type Triage, useTriage } from './use-triage.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes/groups/$groupId');

/** The code is loaded when it is about to be seen. */
const GroupContext = lazyPart(async () => (await import('./GroupContext.tsx')).GroupContext);

const POLL_MS = 5000;
/** The usual height of the latest report, so that what follows it doesn't move into view first. */
const DETAILS_HEIGHT = 1200;
/** The usual height of the sections about its context. */
const CONTEXT_HEIGHT = 1600;

export function GroupPage() {
  const game = useGame();
  const goBack = useGoBack(`/dev/${game.slug}/crashes`);
  const { groupId } = route.useParams();
  const pollMs = useLiveInterval(POLL_MS);
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getCrashGroup, { uid: game.game_uid, group_id: groupId }),
    refetchInterval: ({ state }) => (state.status === 'error' ? false : pollMs),
    meta: follow('crashes'),
  });
  const newest = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: 1 }));
  // The badge depends on the newest build, and would move what is next to it.
  const isWaiting = isPending || (data !== undefined && newest.isPending);
  if (isMissing(error) && data === undefined) return <UnknownPage />;
  return (
    <Stack gap="lg">
      <Trail
        parents={[
          {
            key: 'crashes',
            link: (
              <SiteLink
                to="/dev/$slug/crashes"
                params={{ slug: game.slug }}
                search={{ kind: data?.report_kind === 'error' ? 'error' : undefined }}
                onClick={goBack}
              >
                {data?.report_kind === 'error' ? 'Errors' : 'Crashes'}
              </SiteLink>
            ),
          },
        ]}
        current={data?.title}
      />
      {(data === undefined || isWaiting) && <PageHead title="Crash group" tabTitle={`Crash group · ${game.name}`} />}
      {/* A group that disappears while it is shown has moved; CrashGroup says so. */}
      {error !== null && data === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      {isWaiting && <Skeleton h={DETAILS_HEIGHT} />}
      {data !== undefined && !isWaiting && (
        <CrashGroup
          key={data.group_id}
          game={game}
          group={data}
          newest={newest.data?.builds[0]}
          isGone={error !== null}
        />
      )}
    </Stack>
  );
}

type CrashGroupProps = { game: OpenGame; group: GroupDetail; newest: NewestBuild | undefined; isGone: boolean };

function CrashGroup({ game, group, newest, isGone }: CrashGroupProps) {
  useTitle(`${group.title} · ${game.name}`);
  const sample = useCrash(game.game_uid, group.sample_crash_id);
  const reports = useReports({ uid: game.game_uid, group_id: group.group_id, limit: 25 });
  const crash = sample.data;
  const moved = crash !== undefined && crash.group_id !== group.group_id ? crash : undefined;
  const triage = useTriage();
  const { data: stack, isLoading: isStackLoading } = useStack(game.game_uid, crash);
  const listed = reports.rows?.map(({ item }) => item) ?? [];
  return (
    <>
      <GroupHead group={group} newest={newest} triage={triage} />
      {(moved !== undefined || isGone) && <Moved slug={game.slug} crash={moved} />}
      <div className={classes.broken}>
        <WhatBroke group={group} stack={stack} isLoading={sample.isLoading || isStackLoading} />
      </div>
      <TrendChart group={group} gameUid={game.game_uid} />
      <div className={classes.columns}>
        <div className={classes.side}>
          <TriageFacts group={group} triage={triage} />
          <GroupFacts game={game} group={group} newestVersion={newest?.version} />
          {/* What players wrote is unknown if the reports cannot be loaded. */}
          {(crash !== undefined || sample.error === null) && (
            <PlayerMessages slug={game.slug} reports={crash === undefined ? [] : listed} />
          )}
        </div>
        <div className={classes.report}>
          {group.sample_crash_id === null && (
            <Text size="sm">No reports of this group are stored anymore. Only the counts remain.</Text>
          )}
          {sample.error !== null && crash === undefined && (
            <Problem error={sample.error} onRetry={() => void sample.refetch()} />
          )}
          {sample.isLoading && <Skeleton h={DETAILS_HEIGHT} role="progressbar" aria-label="Loading latest report" />}
          {crash !== undefined && <LatestReport game={game} crash={crash} group={group} />}
        </div>
      </div>
      <WhenNeeded height={CONTEXT_HEIGHT} label="Loading the context of the crash">
        <Suspense fallback={<Skeleton h={CONTEXT_HEIGHT} />}>
          <GroupContext game={game} group={group} stack={stack} reports={reports} triage={triage} />
        </Suspense>
      </WhenNeeded>
    </>
  );
}

type GroupHeadProps = { group: GroupDetail; newest: NewestBuild | undefined; triage: Triage };

function GroupHead({ group, newest, triage }: GroupHeadProps) {
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Group gap="sm" miw={0} style={{ flex: '1 1 20rem' }}>
          <GroupTitle group={group} triage={triage} />
          {group.report_kind === 'error' && <StateBadge tone="none">Handled errors</StateBadge>}
          <GroupBadge group={group} newest={newest} />
        </Group>
        <Permitted operation={changeCrashGroups} to="triage">
          <StatusButtons statuses={[group.status]} groupIds={[group.group_id]} triage={triage} />
        </Permitted>
      </Group>
      <TriageResult triage={triage} />
    </>
  );
}

function LatestReport({ game, crash, group }: { game: OpenGame; crash: Crash; group: GroupDetail }) {
  return (
    <>
      <Text size="sm" c="dimmed">
        <SiteLink
          to="/dev/$slug/crashes/reports/$crashId"
          params={{ slug: game.slug, crashId: crash.crash_id }}
          size="sm"
        >
          {`Latest report (${crash.version || 'unknown version'})`}
        </SiteLink>{' '}
        · <Time at={crash.received_at} />
      </Text>
      <CrashDetails game={game} crash={crash} stops={group.walk_stops} />
    </>
  );
}

/** Symbols that arrive late change the function names on the stack, and with them the group. */
function Moved({ slug, crash }: { slug: string; crash: Crash | undefined }) {
  return (
    <Notice tone="busy" title="The reports of this group moved to another one, because symbols arrived later">
      {crash?.group_id != null && (
        <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId: crash.group_id }} size="sm">
          {`Go to ${crash.title}`}
        </SiteLink>
      )}
    </Notice>
  );
}

const RenameDialog = lazyPart(async () => (await import('./GroupDialogs.tsx')).RenameDialog);

type GroupTitleProps = { group: GroupDetail; triage: Triage };

/** The title of a crash group, which developers can replace. */
function GroupTitle({ group, triage }: GroupTitleProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap={2} miw={0}>
      <Group gap="xs" wrap="nowrap" align="baseline">
        <Title order={1} className={classes.signature}>
          {group.title}
        </Title>
        <Permitted operation={updateCrashGroup}>
          <Button size="compact-xs" variant="subtle" flex="none" onClick={() => setOpen(true)}>
            Rename
          </Button>
        </Permitted>
      </Group>
      {group.title !== group.signature && (
        <Text size="sm" c="dimmed" className={classes.code}>
          {group.signature}
        </Text>
      )}
      <Suspense>{isOpen && <RenameDialog group={group} triage={triage} onClose={() => setOpen(false)} />}</Suspense>
    </Stack>
  );
}

const MAX_MESSAGES = 3;
const MAX_LENGTH = 280;

/** The latest messages that players wrote when the game crashed. */
function PlayerMessages({ slug, reports }: { slug: string; reports: readonly ListedReport[] }) {
  const withMessage = reports.filter(({ user_message: message }) => message.trim() !== '');
  return (
    <section aria-label="Player messages">
      <Text size="sm" c="dimmed" mb={4}>
        Player messages
      </Text>
      {withMessage.length === 0 && <Text size="sm">{formatNone(reports.length)}</Text>}
      <ul className={classes.words}>
        {withMessage.slice(0, MAX_MESSAGES).map((report) => (
          <li key={report.crash_id}>
            <blockquote>“{shortenMessage(report.user_message)}”</blockquote>
            <Text size="sm" c="dimmed">
              {report.version},{' '}
              <SiteLink to="/dev/$slug/crashes/reports/$crashId" params={{ slug, crashId: report.crash_id }} size="sm">
                <Time at={report.received_at} />
              </SiteLink>
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}

function formatNone(reports: number): string {
  if (reports === 0) return 'None yet.';
  return reports === 1 ? 'None in the latest report.' : `None in the latest ${reports} reports.`;
}

function shortenMessage(message: string): string {
  return message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}…` : message;
}

/** Events that show that someone is reading. The content is then loaded before they get to it. */
const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'scroll', 'focusin'] as const;
/** How far below the window the content is loaded. */
const MARGIN = '200px';

type WhenNeededProps = {
  /** The approximate height of the content in pixels. */
  height: number;
  /** What is loading, for screen readers. */
  label: string;
  children: ReactNode;
};

/**
 * Renders its content when it is about to be seen, or as soon as someone uses the page, so that a page that is only
 * glanced at loads less.
 */
function WhenNeeded({ height, label, children }: WhenNeededProps) {
  const anchor = useRef<HTMLDivElement>(null);
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    const shown = anchor.current;
    if (isNeeded || shown === null) return;
    const need = () => setNeeded(true);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) need();
      },
      { rootMargin: MARGIN },
    );
    observer.observe(shown);
    for (const sign of SIGNS) addEventListener(sign, need, { once: true, passive: true, capture: true });
    return () => {
      observer.disconnect();
      for (const sign of SIGNS) removeEventListener(sign, need, { capture: true });
    };
  }, [isNeeded]);
  if (isNeeded) return children;
  return <Skeleton ref={anchor} h={height} role="progressbar" aria-label={label} />;
}
