// The groups that were merged into a crash group or split off from it, and the dialog that splits it.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import { splitCrashGroup, unmergeCrashGroups } from '@chauffeur/contract/operations/triage';
import { Button, Stack, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { useMay } from '../../frame/own-role.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Section } from '../../ui/Section.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import classes from './crashes.module.css';
import type { SplitButtonProps } from './SplitDialog.tsx';
import type { GroupDetail } from './TrendChart.tsx';
import type { Triage } from './use-triage.ts';

/** Loaded when it is opened. */
const SplitDialog = lazyPart(() => import('./SplitDialog.tsx'), 'SplitDialog');

type Merged = GroupDetail['merged'][number];
type RelatedGroupsProps = { slug: string; group: GroupDetail; triage: Triage };

export function MergedGroups({ group, triage }: Omit<RelatedGroupsProps, 'slug'>) {
  const maySeparate = useMay(unmergeCrashGroups);
  if (group.merged.length === 0) return null;
  const columns: Column<Merged>[] = [
    {
      header: 'Signature',
      overflow: 'ellipsis',
      className: classes.code,
      title: ({ signature }) => signature,
      cell: ({ signature }) => signature,
    },
    {
      header: 'Reports',
      align: 'right',
      width: 72,
      title: ({ count }) => formatNumber(count),
      cell: ({ count }) => formatCompactNumber(count),
    },
    {
      header: 'Last seen',
      width: 112,
      overflow: 'nowrap',
      hiddenBelow: 'sm',
      cell: (each) => <Time at={each.last_seen} />,
    },
  ];
  if (maySeparate)
    columns.push({
      header: 'Change',
      isHeaderHidden: true,
      align: 'right',
      width: 110,
      cell: ({ group_id, signature }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Separate ${signature}`}
          disabled={triage.isPending}
          onClick={() =>
            triage.mutate({
              kind: 'unmerge',
              input: { group_id: group.group_id, group_ids: [group_id] },
              message: `${signature} is a separate group again.`,
            })
          }
        >
          Separate
        </Button>
      ),
    });
  return (
    <Section title="Merged groups">
      <Text size="sm">The reports of these groups, including new ones, are counted and listed here.</Text>
      <DataTable
        label="Merged groups"
        keepsColumns
        columns={columns}
        rows={group.merged}
        rowKey={({ group_id }) => group_id}
        isFixed
      />
    </Section>
  );
}

/** Where the group comes from, and what was split off from it. */
export function SplitLinks({ slug, group }: Omit<RelatedGroupsProps, 'triage'>) {
  const { split_from: from, split_off: parts } = group;
  if (from === null && parts.length === 0) return null;
  const link = (groupId: string, text: string) => (
    <SiteLink to="/dev/$slug/crashes/groups/$groupId" params={{ slug, groupId }} size="sm">
      {text}
    </SiteLink>
  );
  return (
    <Stack gap={4}>
      {from !== null && (
        <Text size="sm">
          Split off: reports with <span className={classes.code}>{from.function}</span> on their stack.{' '}
          {link(from.group_id, 'Go to the original group')}
        </Text>
      )}
      {parts.map((part) => (
        <Text key={part.group_id} size="sm">
          Reports with <span className={classes.code}>{part.function}</span> on their stack are in{' '}
          {link(part.group_id, `a separate group (${formatNumber(part.count)})`)}
        </Text>
      ))}
    </Stack>
  );
}

export function SplitButton({ group, stack, triage }: SplitButtonProps) {
  const [isOpen, setOpen] = useState(false);
  if (group.kind !== 'stack') return null;
  return (
    <Permitted operation={splitCrashGroup}>
      <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
        Split group
      </Button>
      <Suspense>
        {isOpen && <SplitDialog group={group} stack={stack} triage={triage} onClose={() => setOpen(false)} />}
      </Suspense>
    </Permitted>
  );
}
