// The summary of a crash group: what broke, where, how often and since when, and who works on it.
import { formatCompactNumber, formatNumber, formatOs } from '@chauffeur/contract/format';
import { PRIORITIES, type Priority } from '@chauffeur/contract/operations/crash-groups';
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Button, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { PermittedFields } from '../../ui/Permitted.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { Time } from '../../ui/Time.tsx';
import { AssigneeSelect, IssueAnchor } from '../../ui/Triage.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import classes from './crashes.module.css';
import { formatAffectedVersions, formatReason, nameBuilds } from './describe-crash.ts';
import { PRIORITY_NAMES } from './describe-group.ts';
import { firstOwnFrame, formatFunction, formatLocation } from './stack-frames.ts';
import type { GroupDetail, Triage } from './use-triage.ts';

type WhatBrokeProps = {
  group: GroupDetail;
  /** The stack of the latest report; undefined while it is loading, or if there is none. */
  stack: CrashStack | undefined;
  isLoading: boolean;
};

export function WhatBroke({ group, stack, isLoading }: WhatBrokeProps) {
  const explanation = formatReason(group.reason, stack?.address ?? null);
  const frame = stack === undefined ? undefined : firstOwnFrame(stack);
  return (
    <>
      <div>
        {explanation !== null && <Text size="md">{explanation}</Text>}
        <Text size="sm" c="dimmed" className={classes.code}>
          {formatCode(group, stack?.address ?? null)}
        </Text>
        {stack?.assertion != null && <Text size="sm">{stack.assertion}</Text>}
      </div>
      {frame !== undefined && (
        <FirstFrame
          name={frame.function === null ? 'Unnamed function' : formatFunction(frame.function)}
          location={formatLocation(frame)}
        />
      )}
      {isLoading && group.kind === 'stack' && (
        <Skeleton aria-hidden>
          <FirstFrame name="…" location="…" />
        </Skeleton>
      )}
    </>
  );
}

type FirstFrameProps = { name: string; location: string };

function FirstFrame({ name, location }: FirstFrameProps) {
  return (
    <div className={classes.first}>
      <Text span size="xs" c="dimmed" ff="text">
        First frame in your game's code
      </Text>
      <strong title={name}>{name}</strong>
      <span className={classes.location}>{location}</span>
    </div>
  );
}

/** The reason and address as debuggers print them. */
function formatCode({ kind, reason }: GroupDetail, address: string | null): string {
  if (reason === null)
    return kind === 'message' ? 'These reports have no stack and are grouped by their message.' : 'Unknown reason.';
  return address === null ? reason : `${reason} at ${address}`;
}

/** How many builds are named. The table of reports has the others. */
const MAX_BUILDS = 6;

type GroupFactsProps = { game: OpenGame; group: GroupDetail; newestVersion: string | undefined };

export function GroupFacts({ game, group, newestVersion }: GroupFactsProps) {
  return <Facts facts={factsOf(game, group, newestVersion)} />;
}

function factsOf(game: OpenGame, group: GroupDetail, newestVersion: string | undefined): Fact[] {
  const affected = formatAffectedVersions(group.builds, group.build_count, newestVersion);
  return [
    [
      'Reports',
      <b key="count" title={formatNumber(group.count)}>
        {formatCompactNumber(group.count)}
      </b>,
    ],
    ['First seen', <Time key="first" at={group.first_seen} />],
    ['Last seen', <Time key="last" at={group.last_seen} />],
    ['Builds', <Builds key="builds" slug={game.slug} group={group} />],
    ...(affected === null ? [] : [['Occurs', affected] as const]),
    ['OS', group.oses.map(({ os, count }) => `${formatOs(os) || 'unknown'} (${formatNumber(count)})`).join(', ')],
    ...(group.regressed_at === null ? [] : [['Regressed', <Time key="back" at={group.regressed_at} />] as const]),
  ];
}

function Builds({ slug, group }: { slug: string; group: GroupDetail }) {
  const shown = group.builds.slice(0, MAX_BUILDS);
  const names = nameBuilds(shown);
  const more = group.build_count - shown.length;
  return (
    <>
      {shown.map(({ build_id: buildId, version, count }, index) => (
        <span key={buildId}>
          {index > 0 && ', '}
          {version === '' ? (
            names[index]
          ) : (
            <SiteLink to="/dev/$slug/builds/$buildId" params={{ slug, buildId }}>
              {names[index]}
            </SiteLink>
          )}{' '}
          ({formatNumber(count)})
        </span>
      ))}
      {more > 0 && `, ${more} more`}
    </>
  );
}

/** The code of the dialog is loaded when it is opened. */
const GroupIssueDialog = lazyPart(async () => (await import('./GroupDialogs.tsx')).GroupIssueDialog);

type TriageFactsProps = { group: GroupDetail; triage: Triage };

/** Who works on a crash group, how urgent it is, and its issue: each can be changed in place. */
export function TriageFacts({ group, triage }: TriageFactsProps) {
  const game = useGame();
  const facts: Fact[] = [
    [
      'Assignee',
      <AssigneeSelect
        key="assignee"
        members={game.members}
        assignee={group.assignee}
        isDisabled={triage.isPending}
        onChange={(assignee) =>
          triage.mutate({
            kind: 'update',
            input: { group_id: group.group_id, assignee: assignee?.user_id ?? null },
            message: assignee === null ? 'Group unassigned.' : `Group assigned to ${assignee.name}.`,
          })
        }
      />,
    ],
    ['Priority', <PrioritySelect key="priority" group={group} triage={triage} />],
    ['Issue', <IssueLink key="issue" group={group} triage={triage} />],
  ];
  return (
    <PermittedFields operation={updateCrashGroup}>
      <Facts facts={facts} />
    </PermittedFields>
  );
}

function PrioritySelect({ group, triage }: TriageFactsProps) {
  return (
    <NativeSelect
      aria-label="Priority"
      size="xs"
      maw={220}
      data={[{ value: '', label: 'None' }, ...PRIORITIES.map((value) => ({ value, label: PRIORITY_NAMES[value] }))]}
      value={group.priority ?? ''}
      disabled={triage.isPending}
      onChange={({ currentTarget: { value } }) => {
        const priority = PRIORITIES.find((each) => each === value) ?? null;
        triage.mutate({
          kind: 'update',
          input: { group_id: group.group_id, priority },
          message: priority === null ? 'Priority removed.' : `Priority set to ${formatPriority(priority)}.`,
        });
      }}
    />
  );
}

function formatPriority(priority: Priority): string {
  return PRIORITY_NAMES[priority].toLowerCase();
}

function IssueLink({ group, triage }: TriageFactsProps) {
  const [isOpen, setOpen] = useState(false);
  const url = group.issue_url;
  return (
    <Group gap="xs">
      {url !== null && <IssueAnchor url={url} />}
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        {url === null ? 'Link issue' : 'Change'}
      </Button>
      <Suspense>{isOpen && <GroupIssueDialog group={group} triage={triage} onClose={() => setOpen(false)} />}</Suspense>
    </Group>
  );
}
