// Groups that may have the same cause, because their stacks begin with the same functions.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { listSimilarGroups } from '@chauffeur/contract/operations/crash-stacks';
import { mergeCrashGroups } from '@chauffeur/contract/operations/triage';
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { useMay } from '../../frame/own-role.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import type { Triage } from './use-triage.ts';

type SimilarGroup = OutputOf<typeof listSimilarGroups>['groups'][number];

type SimilarGroupsProps = { game: OpenGame; groupId: string; triage: Triage };

export function SimilarGroups({ game, groupId, triage }: SimilarGroupsProps) {
  const { data, error, isPending, refetch } = useQuery(
    ask(listSimilarGroups, { uid: game.game_uid, group_id: groupId }),
  );
  const mayMerge = useMay(mergeCrashGroups);
  return (
    <Section title="Similar groups">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <DataTable
        label="Similar groups"
        keepsColumns
        columns={similarColumns(game.slug, groupId, mayMerge ? triage : null)}
        rows={data?.groups}
        rowKey={({ group_id }) => group_id}
        isLoading={isPending}
        skeletonRows={1}
        isFixed
        empty={<Text size="sm">No other group has the same functions of your game on its stack.</Text>}
      />
    </Section>
  );
}

/** `triage` is null for people who may not merge groups. */
function similarColumns(slug: string, groupId: string, triage: Triage | null): Column<SimilarGroup>[] {
  const columns: Column<SimilarGroup>[] = [
    {
      header: 'Crash',
      // It is no row link: j and k move between the reports of the group.
      cell: (group) => (
        <SiteLink
          to="/dev/$slug/crashes/groups/$groupId"
          params={{ slug, groupId: group.group_id }}
          className={classes.title}
          title={group.title}
        >
          {group.title}
        </SiteLink>
      ),
    },
    {
      header: 'Shared functions',
      hiddenBelow: 'sm',
      overflow: 'ellipsis',
      className: classes.code,
      title: (group) => group.shared.join('\n'),
      cell: (group) => group.shared.join(', '),
    },
    {
      header: 'Reports',
      align: 'right',
      width: 72,
      title: (group) => formatNumber(group.count),
      cell: (group) => formatCompactNumber(group.count),
    },
    {
      header: 'Last seen',
      width: 112,
      overflow: 'nowrap',
      hiddenBelow: 'sm',
      cell: (group) => <Time at={group.last_seen} />,
    },
  ];
  if (triage === null) return columns;
  return [
    ...columns,
    {
      header: 'Change',
      isHeaderHidden: true,
      align: 'right',
      width: 90,
      cell: (group) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Merge ${group.title}`}
          title="Merge it into this group"
          disabled={triage.isPending}
          onClick={() =>
            triage.mutate({
              kind: 'merge',
              input: { group_ids: [groupId, group.group_id], into: groupId },
              message: `${group.title} is merged into this group.`,
            })
          }
        >
          Merge
        </Button>
      ),
    },
  ];
}
