// The builds that were registered last.
import { Group, Table, Title } from '@mantine/core';
import { SiteLink } from '../../ui/SiteLink.tsx';
import table from '../../ui/table.module.css';
import { BuildHeads, BuildRow, type ListedBuild } from '../builds/BuildRow.tsx';

export function NewestBuilds({ slug, builds }: { slug: string; builds: readonly ListedBuild[] }) {
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
      <Table className={table.table}>
        <BuildHeads />
        <Table.Tbody>
          {builds.map((build) => (
            <BuildRow key={build.build_id} slug={slug} build={build} />
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
