// A crash group: what broke, how often and where, the stack of its latest report, and what is done about it.
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { getCrashGroup } from '@chauffeur/contract/operations/crashes';
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { isMissing } from '../../frame/is-missing.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { useTitle } from '../../frame/page-title.ts';
import { useGoBack } from '../../frame/previous-page.ts';
import { UnknownPage } from '../../frame/UnknownPage.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { CrashDetails } from './CrashDetails.tsx';
import { Explanation } from './Explanation.tsx';
import { GroupActivity } from './GroupActivity.tsx';
import { GroupBadge, type NewestBuild } from './GroupBadge.tsx';
import { GroupBugs } from './GroupBugs.tsx';
import { GroupSummary } from './GroupSummary.tsx';
import { GroupTitle } from './GroupTitle.tsx';
import { Impact } from './Impact.tsx';
import { MergedGroups, SplitButton, SplitLinks } from './RelatedGroups.tsx';
import { formatShowNewReports, ReportTable, useReports } from './ReportTable.tsx';
import { ShowNewButton } from './ShowNewButton.tsx';
import { SimilarGroups } from './SimilarGroups.tsx';
import { StatusButtons } from './StatusButtons.tsx';
import type { GroupDetail } from './TrendChart.tsx';
import { TriageFacts } from './TriageFacts.tsx';
import { TriageResult } from './TriageResult.tsx';
import { type Crash, useCrash, useStack } from './use-crash.ts';
import { type Triage, useTriage } from './use-triage.ts';

const route = getRouteApi('/signed-in/dev/$slug/crashes/groups/$groupId');

const POLL_MS = 5000;
const MAX_BUILDS = 100;
/** About as high as the latest report, so that what follows it doesn't move into view first. */
const DETAILS_HEIGHT = 1200;

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
  if (isMissing(error) && data === undefined) return <UnknownPage />;
  return (
    <Stack gap="lg">
      <SiteLink
        to="/dev/$slug/crashes"
        params={{ slug: game.slug }}
        size="sm"
        style={{ alignSelf: 'flex-start' }}
        onClick={goBack}
      >
        ← All crashes
      </SiteLink>
      {data === undefined && <PageHead title="Crash group" tabTitle={`Crash group · ${game.name}`} />}
      {/* A group that disappears while it is shown has moved; CrashGroup says so. */}
      {error !== null && data === undefined && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={DETAILS_HEIGHT} />}
      {data !== undefined && <CrashGroup key={data.group_id} game={game} group={data} isGone={error !== null} />}
    </Stack>
  );
}

function CrashGroup({ game, group, isGone }: { game: OpenGame; group: GroupDetail; isGone: boolean }) {
  useTitle(`${group.title} · ${game.name}`);
  const builds = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: MAX_BUILDS })).data?.builds ?? [];
  const sample = useCrash(game.game_uid, group.sample_crash_id);
  const reports = useReports({ uid: game.game_uid, group_id: group.group_id, limit: 25 });
  const crash = sample.data;
  const moved = crash !== undefined && crash.group_id !== group.group_id ? crash : undefined;
  const triage = useTriage();
  const { data: stack } = useStack(game.game_uid, crash);
  const listed = reports.rows?.map(({ item }) => item) ?? [];
  return (
    <>
      <GroupHead group={group} builds={builds} triage={triage} />
      {(moved !== undefined || isGone) && <Moved slug={game.slug} crash={moved} />}
      <GroupSummary
        game={game}
        group={group}
        stack={stack}
        reports={crash === undefined ? [] : listed}
        newestVersion={builds[0]?.version}
        triage={<TriageFacts group={group} triage={triage} />}
      />
      {group.sample_crash_id === null && (
        <Text size="sm">No reports of this group are stored anymore. Only the counts remain.</Text>
      )}
      {sample.error !== null && crash === undefined && (
        <Problem error={sample.error} onRetry={() => void sample.refetch()} />
      )}
      {group.sample_crash_id !== null && sample.isPending && (
        <Skeleton h={DETAILS_HEIGHT} aria-label="Loading latest report" />
      )}
      {crash !== undefined && <LatestReport game={game} crash={crash} />}
      <Section title="Impact">
        <Impact game={game} scope={{ group_id: group.group_id }} />
      </Section>
      <GroupBugs game={game} groupId={group.group_id} />
      <MergedGroups group={group} triage={triage} />
      <SimilarGroups game={game} groupId={group.group_id} triage={triage} />
      <Section title="How this was grouped" actions={<SplitButton group={group} stack={stack} triage={triage} />}>
        <SplitLinks slug={game.slug} group={group} />
        <Explanation notes={group.explanation} />
      </Section>
      <GroupActivity groupId={group.group_id} />
      <Section title="Reports" actions={<ShowNewButton list={reports} format={formatShowNewReports} />}>
        <ReportTable slug={game.slug} list={reports} />
      </Section>
    </>
  );
}

type GroupHeadProps = { group: GroupDetail; builds: readonly NewestBuild[]; triage: Triage };

/** `builds` are sorted newest first. */
function GroupHead({ group, builds, triage }: GroupHeadProps) {
  const versions = [...new Set(builds.map(({ version }) => version))];
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Group gap="sm" miw={0} style={{ flex: '1 1 20rem' }}>
          <GroupTitle group={group} triage={triage} />
          <GroupBadge group={group} newest={builds[0]} />
        </Group>
        <StatusButtons statuses={[group.status]} groupIds={[group.group_id]} versions={versions} triage={triage} />
      </Group>
      <TriageResult triage={triage} />
    </>
  );
}

function LatestReport({ game, crash }: { game: OpenGame; crash: Crash }) {
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
      <CrashDetails game={game} crash={crash} />
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
