// The builds of a game that were registered last.
import { Group, Title } from '@mantine/core';
import { DataTable } from '../../ui/DataTable.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { buildColumns, type ListedBuild } from '../builds/build-columns.tsx';
import { groupByVersion } from '../builds/filters.ts';
import type { Place } from '../channels/grid.ts';

type NewestBuildsProps = { slug: string; builds: readonly ListedBuild[]; places: readonly Place[] | null };

export function NewestBuilds({ slug, builds, places }: NewestBuildsProps) {
  return (
    <section aria-labelledby="newest-builds">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="newest-builds">
          Newest builds
        </Title>
        <SiteLink to="/dev/$slug/builds" params={{ slug }} size="sm">
          All builds
        </SiteLink>
      </Group>
      <DataTable
        label="Newest builds"
        keepsColumns
        columns={buildColumns({ slug, places })}
        rows={groupByVersion(builds)}
        rowKey={({ build_id }) => build_id}
      />
    </section>
  );
}
