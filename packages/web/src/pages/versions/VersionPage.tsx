// A version: its builds on all platforms, the channels that offer it, its health, its crashes and its notes.
import { formatBytes, formatNumber } from '@chauffeur/contract/format';
import { listChannels, promoteVersion, rollbackChannel } from '@chauffeur/contract/operations/channels';
import { startRollout } from '@chauffeur/contract/operations/rollouts';
import { deleteVersion, getVersion } from '@chauffeur/contract/operations/versions';
import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { follow } from '../../frame/live-changes.ts';
import { isMissing, UnknownPage } from '../../frame/UnknownPage.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { PageHead, Section, Trail } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { comparePlatforms } from '../../ui/platforms.ts';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { Commits } from '../builds/BuildCommits.tsx';
import { compareChannels, type Pointer } from '../channels/channel-grid.ts';
import { PromoteDialog } from '../channels/PromoteDialog.tsx';
import { RollbackDialog } from '../channels/RollbackDialog.tsx';
import { formatPlatforms, MoveResult, useMoves } from '../channels/use-moves.tsx';
import { WithdrawnNotice } from '../channels/WithdrawnBuilds.tsx';
import { useGame } from '../games/use-game.ts';
import { RolloutLines } from '../rollouts/RolloutLines.tsx';
import { StartRollout } from '../rollouts/StartRollout.tsx';
import { DeleteVersion } from './DeleteVersion.tsx';
import { VersionBuilds } from './VersionBuilds.tsx';
import { MissingSymbols, VersionAdoption, VersionCrashes, VersionHealth } from './VersionHealth.tsx';
import { BuildsLink } from './VersionsPage.tsx';
import { buildsToPromote, type VersionDetail } from './version-builds.ts';

const route = getRouteApi('/signed-in/dev/$slug/version');

export function VersionPage() {
  const game = useGame();
  const { version = '' } = route.useSearch();
  const { data, error, isPending, refetch } = useQuery({
    ...ask(getVersion, { uid: game.game_uid, version }),
    enabled: version !== '',
    meta: follow('builds'),
  });
  if (version === '' || isMissing(error)) return <UnknownPage />;
  return (
    <Stack gap="lg">
      <Trail
        parents={[
          { key: 'builds', link: <BuildsLink slug={game.slug} /> },
          {
            key: 'versions',
            link: (
              <SiteLink to="/dev/$slug/versions" params={{ slug: game.slug }}>
                Versions
              </SiteLink>
            ),
          },
        ]}
        current={version}
      />
      {data === undefined && <PageHead title={version} tabTitle={`${version} · ${game.name}`} />}
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton h={320} />}
      {data !== undefined && <Version key={version} version={data} />}
    </Stack>
  );
}

type Opened =
  | { readonly dialog: 'promote' | 'rollout' | 'delete' }
  | { readonly dialog: 'rollback'; readonly channel: string };

function Version({ version: data }: { version: VersionDetail }) {
  const game = useGame();
  const { version } = data;
  const builds = data.builds.toSorted(comparePlatforms);
  const navigate = route.useNavigate();
  const moves = useMoves(game.game_uid);
  const [opened, setOpened] = useState<Opened | null>(null);
  const channels = useQuery({ ...ask(listChannels, { uid: game.game_uid }), meta: follow('builds') });
  const own = (channels.data?.channels ?? [])
    .filter((pointer) => pointer.version === version && !pointer.expired)
    .toSorted(comparePlatforms);
  const promoted = buildsToPromote(builds).map((build) => ({ ...build, version }));
  const waiting = builds.filter((build) => !promoted.some(({ os, arch }) => build.os === os && build.arch === arch));
  const open = (dialog: Opened) => {
    moves.reset();
    setOpened(dialog);
  };
  const close = () => setOpened(null);
  return (
    <>
      <PageHead title={version} tabTitle={`${version} · ${game.name}`}>
        {builds.length > 0 && (
          <Permitted operation={deleteVersion}>
            <Button variant="default" onClick={() => open({ dialog: 'delete' })}>
              Delete…
            </Button>
          </Permitted>
        )}
        <Permitted operation={startRollout}>
          <Button variant="default" disabled={promoted.length === 0} onClick={() => open({ dialog: 'rollout' })}>
            Roll out…
          </Button>
        </Permitted>
        <Permitted operation={promoteVersion}>
          <Button disabled={promoted.length === 0} onClick={() => open({ dialog: 'promote' })}>
            Promote…
          </Button>
        </Permitted>
      </PageHead>
      {opened === null && moves.submittedAt > 0 && <MoveResult moves={moves} />}
      <RolloutLines game={game} version={version} />
      <WithdrawnNotice
        version={version}
        withdrawn={(channels.data?.withdrawn ?? []).filter((build) => build.version === version)}
        pointers={channels.data?.channels ?? []}
      />
      {waiting.length > 0 && (
        <Text size="sm">
          {formatPlatforms(waiting)} can't be promoted yet, because no file has passed the scan there.
        </Text>
      )}
      <Facts
        hasColumns
        facts={[
          ['Registered', <Time key="at" at={data.registered_at} />],
          ['Downloads', formatNumber(data.downloads)],
          ...(data.previous === null ? [] : [['Previous', <VersionLink key="p" {...data.previous} />] as const]),
          ...(data.next === null ? [] : [['Next', <VersionLink key="n" {...data.next} />] as const]),
        ]}
      />
      <Section title="Channels">
        <DataTable
          label="Channels with this version"
          keepsColumns
          columns={useChannelColumns((channel) => open({ dialog: 'rollback', channel }))}
          rows={placesOf(own)}
          rowKey={({ channel }) => channel}
          isLoading={channels.isPending}
          skeletonRows={1}
          empty={<Text size="sm">No channel offers this version.</Text>}
        />
        <Updates version={version} pointers={own} />
      </Section>
      <Section title="Builds">
        <VersionBuilds game={game} version={data} />
      </Section>
      <Section title="Health">
        <VersionHealth version={data} />
      </Section>
      <Section title="Adoption">
        <VersionAdoption version={data} />
      </Section>
      <Section title="Crashes">
        <VersionCrashes slug={game.slug} version={data} />
      </Section>
      {data.missing_symbols.length > 0 && (
        <Section title="Missing symbols">
          <MissingSymbols slug={game.slug} version={data} />
        </Section>
      )}
      <Section title="Notes">
        <Notes version={data} />
      </Section>
      {data.commits !== null && (
        <Section title="Commits">
          <Commits gameUid={game.game_uid} buildId={data.commits.build_id} since={data.commits.since} />
        </Section>
      )}
      {opened?.dialog === 'promote' && <PromoteDialog game={game} builds={promoted} moves={moves} onClose={close} />}
      {opened?.dialog === 'rollout' && (
        <StartRollout
          game={game}
          version={version}
          onClose={close}
          onStarted={(rolloutId) =>
            void navigate({ to: '/dev/$slug/rollouts/$rolloutId', params: { slug: game.slug, rolloutId } })
          }
        />
      )}
      {opened?.dialog === 'rollback' && (
        <RollbackDialog
          game={game}
          channel={opened.channel}
          platform={null}
          pointers={own.filter(({ channel }) => channel === opened.channel)}
          moves={moves}
          onClose={close}
        />
      )}
      {opened?.dialog === 'delete' && (
        <DeleteVersion
          game={game}
          version={version}
          onClose={close}
          onDeleted={() => void navigate({ to: '/dev/$slug/versions', params: { slug: game.slug } })}
        />
      )}
    </>
  );
}

function VersionLink({ version }: { version: string }) {
  const { slug } = useGame();
  return (
    <SiteLink to="/dev/$slug/version" params={{ slug }} search={{ version }}>
      {version}
    </SiteLink>
  );
}

/** How much players download who have an earlier version, by platform. */
function Updates({ version, pointers }: { version: string; pointers: readonly Pointer[] }) {
  // Channels that offer the same build mostly list the same versions.
  const lines = new Map(
    pointers.flatMap((pointer) =>
      pointer.updates.map(({ from_version: from, bytes }) => [
        `${from} → ${version} on ${formatPlatforms([pointer])}: ${formatBytes(bytes)} for players`,
        bytes,
      ]),
    ),
  );
  return [...lines.keys()].map((line) => (
    <Text key={line} size="sm">
      {line}
    </Text>
  ));
}

type Place = { readonly channel: string; readonly pointers: readonly Pointer[] };

/** The channels that offer the version, each with its platforms. */
function placesOf(pointers: readonly Pointer[]): Place[] {
  return [...Map.groupBy(pointers, ({ channel }) => channel)]
    .map(([channel, own]) => ({ channel, pointers: own }))
    .toSorted((a, b) => compareChannels(a.channel, b.channel));
}

function useChannelColumns(onRollback: (channel: string) => void): Column<Place>[] {
  const mayRollBack = useMay(rollbackChannel);
  return [
    { header: 'Channel', cell: ({ channel }) => <strong>{channel}</strong> },
    { header: 'Platforms', cell: ({ pointers }) => formatPlatforms(pointers) },
    {
      header: 'Since',
      hiddenBelow: 'sm',
      overflow: 'nowrap',
      cell: ({ pointers }) => <Time at={pointers.map(({ moved_at }) => moved_at).toSorted()[0]!} />,
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: ({ channel, pointers }) =>
        mayRollBack && pointers.some(({ rollback_to }) => rollback_to !== null) ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Roll back ${channel}`}
            onClick={() => onRollback(channel)}
          >
            Roll back…
          </Button>
        ) : null,
    },
  ];
}

function Notes({ version: { notes } }: { version: VersionDetail }) {
  if (notes === null) return <Text size="sm">No build of this version has notes.</Text>;
  return (
    <Stack gap="xs">
      {notes.description !== '' && (
        <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
          {notes.description}
        </Text>
      )}
      {notes.changelog_items.map(({ title, description }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID, and their order never changes
        <div key={index}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
            {description}
          </Text>
        </div>
      ))}
    </Stack>
  );
}
