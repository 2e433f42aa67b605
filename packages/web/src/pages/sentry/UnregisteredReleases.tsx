// Releases that SDKs report and that no build has, and the dialog that assigns one to a build.
import { formatCompactNumber, formatNumber, formatPlatform } from '@chauffeur/contract/format';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import { assignRelease, getSentryActivity } from '@chauffeur/contract/operations/dsns';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Notice, Section } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import table from '../../ui/table.module.css';
import type { OpenGame } from '../games/use-game.ts';

const MAX_BUILDS = 100;

type Release = OutputOf<typeof getSentryActivity>['releases'][number];

const nameOf = ({ release }: Pick<Release, 'release'>) => (release === '' ? 'No release' : release);

/** Shows nothing without releases, except what was done with the last one. */
export function UnregisteredReleases({ game, releases }: { game: OpenGame; releases: readonly Release[] }) {
  const [assigning, setAssigning] = useState<Release | null>(null);
  const [assigned, setAssigned] = useState<string | null>(null);
  const mayAssign = useMay(assignRelease);
  // Loaded with the list, so that the dialog has the builds when it opens.
  const builds = useQuery({
    ...ask(listGameBuilds, { uid: game.game_uid, page_size: MAX_BUILDS }),
    enabled: mayAssign && releases.length > 0,
  });
  if (releases.length === 0 && assigning === null && assigned === null) return null;
  return (
    <Section title="Unregistered releases">
      <Text size="sm" c="dimmed">
        Reports whose release isn't registered as a build. They move to the build once you register it.
      </Text>
      <Permitted operation={assignRelease} to="assign releases to builds">
        {null}
      </Permitted>
      <div role="status">
        {assigned !== null && (
          <Notice tone="good" title={`“${assigned}” is assigned. Its reports move to the build within a minute.`} />
        )}
      </div>
      {releases.length > 0 && (
        <DataTable
          label="Unregistered releases"
          columns={columnsOf(game, mayAssign ? setAssigning : null)}
          rows={releases}
          rowKey={({ release_id }) => release_id}
        />
      )}
      {assigning !== null && (
        <AssignDialog
          game={game}
          release={assigning}
          builds={builds}
          onAssigned={() => setAssigned(nameOf(assigning))}
          onClose={() => setAssigning(null)}
        />
      )}
    </Section>
  );
}

/** `onAssign` is null for people who may not assign anything. */
function columnsOf(game: OpenGame, onAssign: ((release: Release) => void) | null): Column<Release>[] {
  const columns: Column<Release>[] = [
    {
      header: 'Release',
      cell: (release) => (
        <>
          <span className={table.main} style={{ overflowWrap: 'anywhere' }}>
            {nameOf(release)}
          </span>
          <Text size="xs" c="dimmed">
            {detailsOf(release)}
          </Text>
        </>
      ),
    },
    { header: 'Reports', cell: (release) => <Reports game={game} release={release} /> },
    { header: 'Last seen', overflow: 'nowrap', cell: ({ last_at }) => <Time at={last_at} /> },
  ];
  if (onAssign === null) return columns;
  return [
    ...columns,
    {
      header: 'Actions',
      isHeaderHidden: true,
      align: 'right',
      cell: (release) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Assign ${nameOf(release)}`}
          onClick={() => onAssign(release)}
        >
          Assign
        </Button>
      ),
    },
  ];
}

function detailsOf({ dist, os, arch, environment }: Release): string {
  const platform = formatPlatform({ os, arch });
  return [...(dist === '' ? [] : [`dist ${dist}`]), environment, platform].filter((text) => text !== '').join(' · ');
}

/** Links to the lists of these reports: crashes and handled errors are on separate tabs. */
function Reports({ game, release }: { game: OpenGame; release: Release }) {
  const { crashes, errors, release_id: id } = release;
  if (crashes + errors === 0) return 'None';
  const isCut = crashes + errors >= LIMITS.releaseReportsCounted;
  const lists = [
    { kind: undefined, count: crashes, one: 'crash', other: 'crashes' },
    { kind: 'error', count: errors, one: 'error', other: 'errors' },
  ].filter(({ count }) => count > 0);
  return (
    <Group gap="xs">
      {lists.map(({ kind, count, one, other }) => (
        <SiteLink
          key={one}
          to="/dev/$slug/crashes"
          params={{ slug: game.slug }}
          search={{ kind, view: 'reports', q: `build:${id}` }}
          size="sm"
        >
          {isCut ? `${formatCompactNumber(count)}+ ${other}` : `${formatNumber(count)} ${count === 1 ? one : other}`}
        </SiteLink>
      ))}
    </Group>
  );
}

type AssignDialogProps = {
  game: OpenGame;
  release: Release;
  builds: Pick<UseQueryResult<OutputOf<typeof listGameBuilds>>, 'data' | 'error' | 'refetch'>;
  onAssigned: () => void;
  onClose: () => void;
};

function AssignDialog({ game, release, builds: { data, error, refetch }, onAssigned, onClose }: AssignDialogProps) {
  const queries = useQueryClient();
  const uid = game.game_uid;
  const [buildId, setBuildId] = useState('');
  const assigning = useMutation({
    mutationFn: () => call(assignRelease, { uid, release_id: release.release_id, build_id: buildId }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [getSentryActivity.id] });
      onAssigned();
      onClose();
    },
  });
  const builds = data?.builds ?? [];
  return (
    <FormDialog
      title={`Assign “${nameOf(release)}”`}
      submitLabel="Assign"
      isBusy={assigning.isPending}
      error={assigning.error}
      onSubmit={() => assigning.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        Its reports move to the build, and so do later ones with the same release, platform and environment. This can't
        be undone.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <Stack gap={4}>
        <NativeSelect
          data-field="build_id"
          label="Build"
          required
          data-autofocus
          value={buildId}
          data={[
            { value: '', label: 'Choose a build' },
            ...builds.map((build) => ({
              value: build.build_id,
              label: `${build.version} for ${formatPlatform(build)}`,
            })),
          ]}
          onChange={({ currentTarget }) => setBuildId(currentTarget.value)}
        />
        {builds.length === MAX_BUILDS && (
          <Text size="xs" c="dimmed">
            The newest {MAX_BUILDS} builds. For older ones, use the API.
          </Text>
        )}
      </Stack>
    </FormDialog>
  );
}
