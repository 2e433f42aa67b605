// The context of a crash group: who is affected, tickets, related groups, how it was grouped, its activity and its
// reports. This code is loaded after what is needed to understand the crash, when someone scrolls down.
import { formatCompactNumber, formatNumber } from '@chauffeur/contract/format';
import type { OutputOf } from '@chauffeur/contract/operation';
import { type CrashStack, listSimilarGroups } from '@chauffeur/contract/operations/crash-stacks';
import { mergeCrashGroups, splitCrashGroup, unmergeCrashGroups } from '@chauffeur/contract/operations/triage';
import { Button, Code, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { ask } from '../../api.ts';
import { lazyPart } from '../../frame/load-code.ts';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Section } from '../../ui/PageLayout.tsx';
import { Permitted, useMay } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShowNewButton } from '../../ui/ShowMore.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { TextWithCode } from '../../ui/TextWithCode.tsx';
import { Time } from '../../ui/Time.tsx';
import type { OpenGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import { Impact } from './Facets.tsx';
import { GroupActivity } from './GroupActivity.tsx';
import type { SplitButtonProps } from './GroupDialogs.tsx';
import { LinkedTickets } from './LinkedTickets.tsx';
import { ReportTable } from './ReportTable.tsx';
import { formatShowNewReports, type ListedReport, type LiveList } from './use-live-list.ts';
import type { GroupDetail, Triage } from './use-triage.ts';

type GroupContextProps = {
  game: OpenGame;
  group: GroupDetail;
  stack: CrashStack | undefined;
  reports: LiveList<ListedReport>;
  triage: Triage;
};

export function GroupContext({ game, group, stack, reports, triage }: GroupContextProps) {
  return (
    <>
      <Section title="Impact">
        <Impact game={game} scope={{ group_id: group.group_id }} kind={group.report_kind} />
      </Section>
      <LinkedTickets game={game} about={{ group_id: group.group_id }} />
      <MergedGroups group={group} triage={triage} />
      <SimilarGroups game={game} groupId={group.group_id} triage={triage} />
      <Section title="Reports" actions={<ShowNewButton list={reports} format={formatShowNewReports} />}>
        <ReportTable slug={game.slug} list={reports} />
      </Section>
      <GroupActivity groupId={group.group_id} />
      <Section
        title="Why these reports are together"
        actions={<SplitButton group={group} stack={stack} triage={triage} />}
      >
        <WhyTogether group={group} slug={game.slug} />
        <SplitLinks slug={game.slug} group={group} />
      </Section>
    </>
  );
}

type SimilarGroup = OutputOf<typeof listSimilarGroups>['groups'][number];

type SimilarGroupsProps = { game: OpenGame; groupId: string; triage: Triage };

/** Groups that may have the same cause, because their stacks begin with the same functions. */
function SimilarGroups({ game, groupId, triage }: SimilarGroupsProps) {
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

/** The columns of the list. `triage` is null for people who may not merge groups. */
function similarColumns(slug: string, groupId: string, triage: Triage | null): Column<SimilarGroup>[] {
  const columns: Column<SimilarGroup>[] = [
    {
      header: 'Crash',
      // This isn't a row link, because j and k move between the reports of the group.
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

/** The code of the dialog is loaded when it is opened. */
const SplitDialog = lazyPart(async () => (await import('./GroupDialogs.tsx')).SplitDialog);

type Merged = GroupDetail['merged'][number];
type RelatedGroupsProps = { slug: string; group: GroupDetail; triage: Triage };

/** The groups that were merged into a crash group or split off from it, and the dialog that splits it. */
function MergedGroups({ group, triage }: Omit<RelatedGroupsProps, 'slug'>) {
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

/** Says where the group comes from, and what was split off from it. */
function SplitLinks({ slug, group }: Omit<RelatedGroupsProps, 'triage'>) {
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

function SplitButton({ group, stack, triage }: SplitButtonProps) {
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

/** What the reports of the group have in common, in plain words, and what to do if they shouldn't be together. */
function WhyTogether({ group, slug }: { group: GroupDetail; slug: string }) {
  return (
    <>
      {group.kind === 'stack' ? (
        <Text size="sm">
          These reports crashed in the same way and in the same functions: <Code>{group.signature}</Code>. Calls that
          say little about the cause, such as calls in the system, do not count.
        </Text>
      ) : (
        <Text size="sm">
          These reports have no stack. They are from the same version and OS, and have the same message, apart from
          numbers, addresses and folders. With a stack, reports are grouped by their cause.
        </Text>
      )}
      <Text size="sm">
        {group.kind === 'stack' && 'If there are several bugs in this group, split it by a function on the stack. '}
        If one bug is in several groups, merge them, or{' '}
        <SiteLink to="/dev/$slug/settings/grouping" params={{ slug }} size="sm">
          write a rule
        </SiteLink>{' '}
        about the functions that count.
      </Text>
      <details className={classes.steps}>
        <summary>Step by step</summary>
        <Explanation notes={group.explanation} />
      </details>
    </>
  );
}

/** The steps by which a crash was grouped, as the server describes them. */
function Explanation({ notes }: { notes: readonly string[] }) {
  return (
    <ol className={classes.notes}>
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may be equal, and their order never changes
        <li key={index}>
          <TextWithCode text={note} />
        </li>
      ))}
    </ol>
  );
}
