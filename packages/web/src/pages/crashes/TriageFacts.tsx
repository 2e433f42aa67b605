// Who works on a crash group, how urgent it is, and its issue: each can be changed in place.
import { PRIORITIES, type Priority } from '@chauffeur/contract/operations/crashes';
import { updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Anchor, Button, Group, NativeSelect } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../frame/load-code.ts';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { PermittedFields } from '../../ui/Permitted.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { PRIORITY_NAMES } from './group-status.ts';
import type { GroupDetail } from './TrendChart.tsx';
import type { Triage } from './use-triage.ts';

/** Loaded when it is opened. */
const IssueDialog = lazyPart(() => import('./IssueDialog.tsx'), 'IssueDialog');

type TriageFactsProps = { group: GroupDetail; triage: Triage };

export function TriageFacts({ group, triage }: TriageFactsProps) {
  const game = useGame();
  const facts: Fact[] = [
    ['Assignee', <AssigneeSelect key="assignee" game={game} group={group} triage={triage} />],
    ['Priority', <PrioritySelect key="priority" group={group} triage={triage} />],
    ['Issue', <IssueLink key="issue" group={group} triage={triage} />],
  ];
  return (
    <PermittedFields operation={updateCrashGroup}>
      <Facts facts={facts} />
    </PermittedFields>
  );
}

function AssigneeSelect({ game, group, triage }: TriageFactsProps & { game: OpenGame }) {
  const { members } = game;
  const { assignee } = group;
  const isMember = assignee === null || members.some(({ user_id }) => user_id === assignee.user_id);
  const names = [...members.map(({ user_id, name }) => ({ value: user_id, label: name }))];
  if (!isMember) names.push({ value: assignee.user_id, label: `${assignee.name} (former member)` });
  return (
    <NativeSelect
      aria-label="Assignee"
      size="xs"
      maw={220}
      data={[{ value: '', label: 'Unassigned' }, ...names]}
      value={assignee?.user_id ?? ''}
      disabled={triage.isPending}
      onChange={({ currentTarget: { value } }) => {
        const name = names.find((each) => each.value === value)?.label;
        triage.mutate({
          kind: 'update',
          input: { group_id: group.group_id, assignee: value === '' ? null : value },
          message: name === undefined ? 'Group unassigned.' : `Group assigned to ${name}.`,
        });
      }}
    />
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
      {url !== null && (
        <Anchor href={url} rel="noreferrer" target="_blank">
          {formatAddress(url)}
        </Anchor>
      )}
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        {url === null ? 'Link issue' : 'Change'}
      </Button>
      <Suspense>{isOpen && <IssueDialog group={group} triage={triage} onClose={() => setOpen(false)} />}</Suspense>
    </Group>
  );
}

/** Without the protocol, shortened in the middle. */
function formatAddress(url: string): string {
  const text = url.replace(/^https?:\/\//, '');
  return text.length <= 48 ? text : `${text.slice(0, 20)}…${text.slice(-26)}`;
}
