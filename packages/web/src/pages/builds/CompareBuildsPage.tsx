// Two builds side by side: their launch health, their crash groups, and the commits between them.
import { formatCompactNumber, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { compareCrashes } from '@chauffeur/contract/operations/health';
import { Button, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { formatItems } from '../../ui/format.ts';
import { PageHead, Section, Trail } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { ComparedHealth } from '../health/CompareBuilds.tsx';
import { Commits } from './BuildCommits.tsx';
import type { ListedBuild } from './build-columns.tsx';

const route = getRouteApi('/signed-in/dev/$slug/builds/compare');

const MAX_BUILDS = 100;

export function CompareBuildsPage() {
  const game = useGame();
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(ask(listGameBuilds, { uid: game.game_uid, page_size: MAX_BUILDS }));
  const builds = data?.builds ?? [];
  const choose = (name: 'a' | 'b', buildId: string) =>
    void navigate({
      search: (before) => ({ ...before, [name]: buildId === '' ? undefined : buildId }),
      replace: true,
      resetScroll: false,
    });
  const isChosen = a !== undefined && b !== undefined && a !== b;
  return (
    <Stack gap="lg" maw={1080}>
      <Trail
        parents={[
          {
            key: 'builds',
            link: (
              <SiteLink to="/dev/$slug/builds" params={{ slug: game.slug }}>
                Builds
              </SiteLink>
            ),
          },
        ]}
        current="Compare"
      />
      <PageHead title="Compare builds" tabTitle={`Compare builds · ${game.name}`} />
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <Group align="flex-end" gap="sm">
        <BuildSelect label="Build" builds={builds} value={a} onChoose={(id) => choose('a', id)} />
        <BuildSelect label="Compared with" builds={builds} value={b} onChoose={(id) => choose('b', id)} />
        {isChosen && (
          <Button
            variant="default"
            onClick={() => void navigate({ search: { a: b, b: a }, replace: true, resetScroll: false })}
          >
            Swap
          </Button>
        )}
      </Group>
      {isChosen ? (
        <Compared key={`${a} ${b}`} game={game} builds={builds} a={a} b={b} />
      ) : (
        <Text size="sm">Choose two different builds.</Text>
      )}
    </Stack>
  );
}

type BuildSelectProps = {
  label: string;
  builds: readonly ListedBuild[];
  value: string | undefined;
  onChoose: (buildId: string) => void;
};

function BuildSelect({ label, builds, value, onChoose }: BuildSelectProps) {
  const isListed = value === undefined || builds.some(({ build_id: id }) => id === value);
  return (
    <NativeSelect
      label={label}
      size="sm"
      style={{ flex: '1 1 14rem' }}
      maw={320}
      value={value ?? ''}
      data={[
        { value: '', label: 'Choose a build' },
        ...builds.map((build) => ({ value: build.build_id, label: `${build.version} for ${formatPlatform(build)}` })),
        ...(isListed ? [] : [{ value, label: 'An older build' }]),
      ]}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  );
}

type ComparedProps = { game: OpenGame; builds: readonly ListedBuild[]; a: string; b: string };

function Compared({ game, builds, a, b }: ComparedProps) {
  return (
    <>
      <Section title="Launch health">
        <ComparedHealth gameUid={game.game_uid} buildId={a} other={b} />
      </Section>
      <ComparedCrashes game={game} buildId={a} other={b} />
      <Section title="Commits between them">
        <CommitsBetween gameUid={game.game_uid} builds={builds} ids={[a, b]} />
      </Section>
    </>
  );
}

/** `builds` are sorted newest first. */
function CommitsBetween({ gameUid, builds, ids }: { gameUid: string; builds: readonly ListedBuild[]; ids: string[] }) {
  const [newer, older] = builds.filter(({ build_id: id }) => ids.includes(id));
  if (newer === undefined || older === undefined)
    return <Text size="sm">Commits are listed between the latest builds only.</Text>;
  if (newer.commit === null || older.commit === null)
    return (
      <Text size="sm">
        The commit of one of the builds is unknown. Register builds in a Git repository to record it.
      </Text>
    );
  if (newer.commit === older.commit) return <Text size="sm">Both builds are from the same commit.</Text>;
  return <Commits gameUid={gameUid} buildId={newer.build_id} since={older.build_id} />;
}

type Comparison = OutputOf<typeof compareCrashes>;
type Groups = Comparison['both'];
type ComparedGroup = Groups['groups'][number];
type ComparedCrashesProps = { game: OpenGame; buildId: string; other: string };

/** The crash groups of two builds: which ones only one of the builds has, and which both have. */
function ComparedCrashes({ game, buildId, other }: ComparedCrashesProps) {
  const { data, error, refetch } = useQuery(ask(compareCrashes, { uid: game.game_uid, build_id: buildId, other }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={320} />;
  const mine = nameOf(data.build, data.other);
  const theirs = nameOf(data.other, data.build);
  const mineColumns = countColumns(mine, data.build.devices, (group) => [group.reports, group.per_thousand]);
  const theirColumns = countColumns(theirs, data.other.devices, (group) => [
    group.other_reports,
    group.other_per_thousand,
  ]);
  const crash = crashColumn(game.slug);
  return (
    <>
      <GroupSection title={`Crashes only in ${mine}`} groups={data.only_build} columns={[crash, ...mineColumns]} />
      <GroupSection title={`Crashes only in ${theirs}`} groups={data.only_other} columns={[crash, ...theirColumns]} />
      <GroupSection title="Crashes in both" groups={data.both} columns={[crash, ...mineColumns, ...theirColumns]} />
      <Text size="sm" c="dimmed">
        Reports are counted over all time, and shown per 1,000 devices of the build if it sent events.
      </Text>
    </>
  );
}

type GroupSectionProps = { title: string; groups: Groups; columns: readonly Column<ComparedGroup>[] };

function GroupSection({ title, groups: { count, groups }, columns }: GroupSectionProps) {
  return (
    <Section title={title}>
      <DataTable
        label={title}
        columns={[...columns]}
        rows={groups}
        rowKey={({ group_id }) => group_id}
        empty={<Text size="sm">None.</Text>}
      />
      {count > groups.length && (
        <Text size="sm" c="dimmed">
          {`Showing the ${groups.length} with the most reports, of ${formatItems(count, 'group')}.`}
        </Text>
      )}
    </Section>
  );
}

/** The version, with the platform if the other build has the same version. */
function nameOf(build: Comparison['build'], other: Comparison['build']): string {
  return build.version === other.version ? `${build.version} for ${formatPlatform(build)}` : build.version;
}

function crashColumn(slug: string): Column<ComparedGroup> {
  return {
    header: 'Crash',
    overflow: 'anywhere',
    cell: ({ group_id: groupId, title }) => (
      <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }}>
        {title}
      </SiteLink>
    ),
  };
}

function countColumns(
  name: string,
  devices: number,
  of: (group: ComparedGroup) => [reports: number, perThousand: number | null],
): Column<ComparedGroup>[] {
  const reports: Column<ComparedGroup> = {
    header: `Reports of ${name}`,
    align: 'right',
    title: (group) => formatNumber(of(group)[0]),
    cell: (group) => formatCompactNumber(of(group)[0]),
  };
  if (devices === 0) return [reports];
  return [
    reports,
    {
      header: `Per 1,000 devices of ${name}`,
      align: 'right',
      cell: (group) => formatRate(of(group)[1]),
    },
  ];
}

function formatRate(rate: number | null): string {
  return rate === null ? '–' : formatNumber(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));
}
