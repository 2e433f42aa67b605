// Two builds side by side: their launch health, their crash groups, and the commits between them.
import { formatPlatform } from '@chauffeur/contract/format';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { PageHead, Section, Trail } from '../../ui/PageLayout.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { ComparedHealth } from '../health/CompareBuilds.tsx';
import { Commits } from './BuildCommits.tsx';
import type { ListedBuild } from './build-columns.tsx';
import { ComparedCrashes } from './ComparedCrashes.tsx';

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
    <Stack gap="lg">
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
