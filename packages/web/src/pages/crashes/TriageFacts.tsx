// Who works on a crash group, how urgent it is, and its issue: each can be changed in place.
import { LIMITS } from '@chauffeur/contract/limits';
import { PRIORITIES, type Priority } from '@chauffeur/contract/operations/crashes';
import { draftCrashGroupIssue } from '@chauffeur/contract/operations/issue-tracker';
import { updateCrashGroup } from '@chauffeur/contract/operations/triage';
import { Anchor, Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { DialogButtons } from '../../ui/DialogButtons.tsx';
import { type Fact, Facts } from '../../ui/Facts.tsx';
import { PermittedFields } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { type OpenGame, useGame } from '../games/use-game.ts';
import { PRIORITY_NAMES } from './group-status.ts';
import type { GroupDetail } from './TrendChart.tsx';
import { type Triage, useTriageForm } from './use-triage.ts';

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
      {isOpen && <IssueDialog group={group} triage={triage} onClose={() => setOpen(false)} />}
    </Group>
  );
}

/** Without the protocol, shortened in the middle. */
function formatAddress(url: string): string {
  const text = url.replace(/^https?:\/\//, '');
  return text.length <= 48 ? text : `${text.slice(0, 20)}…${text.slice(-26)}`;
}

/** A new issue in the tracker of the game: created by the service, or opened in the browser. */
function NewIssue({ group, triage, onClose }: TriageFactsProps & { onClose: () => void }) {
  const { game_uid: uid, slug } = useGame();
  const { data, error, refetch } = useQuery(ask(draftCrashGroupIssue, { uid, group_id: group.group_id }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={30} />;
  if (data.url === null)
    return (
      <Text size="sm">
        <SiteLink to="/dev/$slug/edit/issues" params={{ slug }} size="sm">
          Set up your issue tracker
        </SiteLink>{' '}
        to create issues from here.
      </Text>
    );
  return (
    <Group gap="xs">
      {data.can_create && (
        <Button
          size="xs"
          loading={triage.isPending}
          onClick={() => {
            triage.mutate({ kind: 'issue', input: { group_id: group.group_id }, message: 'Issue created and linked.' });
            onClose();
          }}
        >
          Create issue
        </Button>
      )}
      <Button size="xs" variant="default" component="a" href={data.url} target="_blank" rel="noreferrer">
        Open a new issue
      </Button>
    </Group>
  );
}

function IssueDialog({ group, triage, onClose }: TriageFactsProps & { onClose: () => void }) {
  const [url, setUrl] = useState(group.issue_url ?? '');
  const form = useTriageForm(triage, onClose);
  const trimmed = url.trim();
  return (
    <Dialog title="Link an issue" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          form.submit({
            kind: 'update',
            input: { group_id: group.group_id, issue_url: trimmed === '' ? null : trimmed },
            message: trimmed === '' ? 'Link to the issue removed.' : 'Issue linked.',
          });
        }}
      >
        <Stack gap="md">
          {group.issue_url === null && <NewIssue group={group} triage={triage} onClose={onClose} />}
          <TextInput
            data-field="issue_url"
            label="Address of the issue"
            description="In GitHub, GitLab, Jira, Linear or any other tracker. Leave it empty to remove the link."
            type="url"
            pattern="https?://.*"
            maxLength={LIMITS.issueUrlLength}
            value={url}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          {form.error !== null && <Problem error={form.error} />}
          <DialogButtons
            isBusy={form.isBusy}
            submitLabel={trimmed === '' && group.issue_url !== null ? 'Remove link' : 'Save'}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
