// A build: where it is live, its files, changelog, launch health and symbols, and the settings of its crash reporter.
import { formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { getGameBuild } from '@chauffeur/contract/operations/builds';
import { listChannels, promoteBuild } from '@chauffeur/contract/operations/channels';
import { deleteBuild } from '@chauffeur/contract/operations/deletion';
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ask } from '../../api.ts';
import { useGoBack } from '../../frame/going-back.ts';
import { follow, useLiveInterval } from '../../frame/live-changes.ts';
import { isMissing, UnknownPage } from '../../frame/UnknownPage.tsx';
import { CopyText } from '../../ui/CopyText.tsx';
import { EmptyState } from '../../ui/DataTable.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { Notice, PageHead, Section, Trail } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { PushCommand } from '../../ui/ShellCommand.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { BUILD_STATES } from '../../ui/states.ts';
import { Time } from '../../ui/Time.tsx';
import { PromoteDialog } from '../channels/PromoteDialog.tsx';
import { MoveResult, useMoves } from '../channels/use-moves.tsx';
import { WithdrawnLines } from '../channels/WithdrawnBuilds.tsx';
import { useGame } from '../games/use-game.ts';
import { BuildCommits } from './BuildCommits.tsx';
import { type BuildDetail, BuildFile } from './BuildFile.tsx';
import { BuildHealth, BuildImpact } from './BuildHealth.tsx';
import { BuildSymbols } from './BuildSymbols.tsx';
import { DeleteBuilds, type DeletedBuild } from './DeleteBuilds.tsx';

const route = getRouteApi('/signed-in/dev/$slug/builds/$buildId');

const POLL_MS = 3000;
/** Files in these states can be played. */
const OFFERED: ReadonlySet<string> = new Set(['clean', 'unscanned']);

/** Reports of a release that no build has lead here too. */
function MissingBuild({ slug }: { readonly slug: string }) {
  return (
    <Stack gap="lg">
      <UnknownPage />
      <Text>
        If a report led you here, no build of its release is registered. You can register one, or assign the release to
        a build under{' '}
        <SiteLink to="/dev/$slug/settings/sentry" params={{ slug }}>
          Sentry SDKs
        </SiteLink>
        .
      </Text>
    </Stack>
  );
}

export function BuildPage() {
  const game = useGame();
  const goBack = useGoBack(`/dev/${game.slug}/builds`);
  const { buildId } = route.useParams();
  const [deleted, setDeleted] = useState<DeletedBuild | null>(null);
  const isDeleted = deleted?.build_id === buildId;
  const pollMs = useLiveInterval(POLL_MS);
  const {
    data: build,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...ask(getGameBuild, { uid: game.game_uid, build_id: buildId }),
    enabled: !isDeleted,
    refetchInterval: ({ state }) => (state.data?.state === 'processing' ? pollMs : false),
    meta: follow('builds'),
  });
  if (isMissing(error) && !isDeleted) return <MissingBuild slug={game.slug} />;
  return (
    <Stack gap="lg">
      <Trail
        parents={[
          {
            key: 'builds',
            link: (
              <SiteLink to="/dev/$slug/builds" params={{ slug: game.slug }} onClick={goBack}>
                Builds
              </SiteLink>
            ),
          },
        ]}
        current={build === undefined ? undefined : `${build.version} for ${formatPlatform(build)}`}
      />
      {isDeleted && <BuildDeleted slug={game.slug} deleted={deleted} />}
      {build === undefined && !isDeleted && <PageHead title="Build" tabTitle={`Build · ${game.name}`} />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && !isDeleted && <Skeleton h={320} />}
      {build !== undefined && !isDeleted && <Build key={build.build_id} build={build} onDeleted={setDeleted} />}
    </Stack>
  );
}

function Build({ build, onDeleted }: { build: BuildDetail; onDeleted: (deleted: DeletedBuild) => void }) {
  const game = useGame();
  // The dialog is in the URL, so that the command palette can open it.
  const { promote } = route.useSearch();
  const isPromoting = useMay(promoteBuild) && promote === '1' && build.state === 'ready';
  const navigate = route.useNavigate();
  const setPromoting = (promoting: boolean) =>
    void navigate({ search: { promote: promoting ? '1' : undefined }, replace: true, resetScroll: false });
  const [isDeleting, setDeleting] = useState(false);
  const moves = useMoves(game.game_uid);
  const { tone, label } = BUILD_STATES[build.state];
  return (
    <>
      <PageHead
        title={`${build.version} for ${formatPlatform(build)}`}
        tabTitle={`${build.version} · ${game.name}`}
        badges={<StateBadge tone={tone}>{label}</StateBadge>}
      >
        <SiteLink
          to="/dev/$slug/builds/compare"
          params={{ slug: game.slug }}
          search={{ a: build.build_id }}
          size="sm"
          style={{ alignSelf: 'center' }}
        >
          Compare with…
        </SiteLink>
        <Permitted operation={deleteBuild}>
          <Button variant="default" onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        </Permitted>
        <Permitted operation={promoteBuild}>
          <Button disabled={build.state !== 'ready'} onClick={() => setPromoting(true)}>
            Promote…
          </Button>
        </Permitted>
      </PageHead>
      {!isPromoting && moves.submittedAt > 0 && <MoveResult moves={moves} />}
      <Facts
        hasColumns
        facts={factsOf(build, game.slug, <LiveOn gameUid={game.game_uid} slug={game.slug} buildId={build.build_id} />)}
      />
      <Section title="Files">
        {build.files.length === 0 && (
          <EmptyState command={<PushCommand slug={game.slug} build={build} />}>
            No file yet. Players get the build once its file is uploaded and has passed the scan. This command uploads
            the folder <Code>dist</Code>:
          </EmptyState>
        )}
        {build.files.map((file, index) => (
          <BuildFile
            key={file.file_uid}
            slug={game.slug}
            file={file}
            isOpen={index === 0}
            playedGame={build.os === 'web' && index === 0 && OFFERED.has(file.status) ? game.game_uid : undefined}
          />
        ))}
      </Section>
      <Section title="Changelog">
        <Changelog slug={game.slug} build={build} />
      </Section>
      <Section title="Commits">
        <BuildCommits gameUid={game.game_uid} build={build} />
      </Section>
      <Section title="Launch health">
        <BuildHealth gameUid={game.game_uid} slug={game.slug} buildId={build.build_id} />
      </Section>
      <Section title="Crashes">
        <BuildImpact game={game} buildId={build.build_id} />
      </Section>
      <Section title="Symbols">
        <BuildSymbols game={game} buildId={build.build_id} os={build.os} />
      </Section>
      <Section title="Crash reporter">
        <Text size="sm" c="dimmed">
          Set these in your game's crash reporter to link its reports to this build.
        </Text>
        <Facts
          facts={[
            [
              'Endpoint',
              <CopyText key="url" text={`${location.origin}/api/v1/public/crashes`} label="endpoint" block />,
            ],
            ['X-App-Id', <CopyText key="app" text={game.game_uid} label="app ID" block />],
            ['X-Build-Id', <CopyText key="build" text={build.build_id} label="build ID" block />],
          ]}
        />
      </Section>
      {isPromoting && <PromoteDialog game={game} builds={[build]} moves={moves} onClose={() => setPromoting(false)} />}
      {isDeleting && (
        <DeleteBuilds
          game={game}
          builds={[build]}
          onClose={() => setDeleting(false)}
          onDeleted={(_count, deleted) => deleted !== undefined && onDeleted(deleted)}
        />
      )}
    </>
  );
}

function factsOf(build: BuildDetail, slug: string, live: ReactNode): Fact[] {
  return [
    ['Live on', live],
    [
      'Version',
      <SiteLink key="version" to="/dev/$slug/version" params={{ slug }} search={{ version: build.version }}>
        {build.version}
      </SiteLink>,
    ],
    ['Build ID', <CopyText key="id" text={build.build_id} label="build ID" />],
    ...(build.title === build.version ? [] : [['Title', build.title] as const]),
    ['Uploaded to', build.channel],
    ...(build.build_type === 'game' ? [] : [['Type', build.build_type] as const]),
    ...(build.engine_version === null ? [] : [['Engine', build.engine_version] as const]),
    ...(build.commit === null
      ? []
      : [['Commit', <CopyText key="commit" text={build.commit} label="commit" />] as const]),
    ['Registered', <Time key="at" at={build.created_at} />],
    [
      'Downloads',
      <SiteLink
        key="downloads"
        to="/dev/$slug/statistics"
        params={{ slug }}
        search={{ build: build.build_id }}
        aria-label={`Statistics of this build: ${formatNumber(build.downloads)} downloads`}
      >
        {formatNumber(build.downloads)}
      </SiteLink>,
    ],
    ...(build.description === '' ? [] : [['Description', build.description] as const]),
  ];
}

function LiveOn({ gameUid, slug, buildId }: { gameUid: string; slug: string; buildId: string }) {
  const { data } = useQuery({ ...ask(listChannels, { uid: gameUid }), meta: follow('builds') });
  if (data === undefined) return <Skeleton w={120} h={16} />;
  const pointers = data.channels.filter((pointer) => pointer.build_id === buildId && !pointer.expired);
  const withdrawn = data.withdrawn.filter((build) => build.build_id === buildId);
  if (pointers.length === 0)
    return (
      <>
        No channel
        <WithdrawnLines withdrawn={withdrawn} />
      </>
    );
  return (
    <Group gap="md">
      {pointers.map((pointer) => (
        <span key={pointer.channel}>
          <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm">
            {pointer.channel}
          </SiteLink>{' '}
          <Text span size="sm" c="dimmed">
            · updated <Time at={pointer.moved_at} />
            {pointer.expires_at !== null && (
              <>
                {' '}
                · expires <Time at={pointer.expires_at} />
              </>
            )}
          </Text>
        </span>
      ))}
      <WithdrawnLines withdrawn={withdrawn} />
    </Group>
  );
}

function Changelog({ slug, build }: { slug: string; build: BuildDetail }) {
  if (build.changelog_items.length === 0) {
    return (
      <EmptyState command={<PushCommand slug={slug} build={build} changelog="New: What changed" />}>
        No changelog yet. Push the build again with its changes. If the folder <Code>dist</Code> is the same, nothing is
        uploaded again:
      </EmptyState>
    );
  }
  return build.changelog_items.map(({ title, description }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID, and their order never changes
    <div key={index}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
        {description}
      </Text>
    </div>
  ));
}

/** Shown on the build's page after the build was deleted. */
function BuildDeleted({ slug, deleted }: { slug: string; deleted: DeletedBuild }) {
  const { version, channels } = deleted;
  return (
    <div role="status">
      <Notice tone="good" title={`${version} deleted`}>
        <Text size="sm">
          {channels.length === 0
            ? 'No channel offered it. Nothing changes for players.'
            : `Channels that no longer offer a build for this platform: ${channels.join(', ')}.`}
        </Text>
        <Group gap="md">
          <SiteLink to="/dev/$slug/builds" params={{ slug }} size="sm">
            All builds
          </SiteLink>
          {channels.length > 0 && (
            <SiteLink to="/dev/$slug/channels" params={{ slug }} size="sm">
              Offer another build
            </SiteLink>
          )}
        </Group>
      </Notice>
    </div>
  );
}
