// The dialogs that rename and split a crash group, and link its issue. They are one piece of code, loaded when the first
// one opens.
import { LIMITS } from '@chauffeur/contract/limits';
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { draftCrashGroupIssue } from '@chauffeur/contract/operations/issue-tracker';
import { Button, Group, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ask } from '../../api.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useGame } from '../games/use-game.ts';
import { type GroupDetail, type Triage, useTriageForm } from './use-triage.ts';

type IssueDialogProps = { group: GroupDetail; triage: Triage; onClose: () => void };

/** A new issue in the tracker of the game: created by the service, or opened in the browser. */
function NewIssue({ group, triage, onClose }: IssueDialogProps) {
  const { game_uid: uid, slug } = useGame();
  const { data, error, refetch } = useQuery(ask(draftCrashGroupIssue, { uid, group_id: group.group_id }));
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={30} />;
  if (data.url === null)
    return (
      <Text size="sm">
        <SiteLink to="/dev/$slug/settings/issues" params={{ slug }} size="sm">
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

/** The dialog that links a crash group to an issue, or creates one in the tracker of the game. */
export function IssueDialog({ group, triage, onClose }: IssueDialogProps) {
  const [url, setUrl] = useState(group.issue_url ?? '');
  const form = useTriageForm(triage, onClose);
  const trimmed = url.trim();
  return (
    <FormDialog
      title="Link an issue"
      isBusy={form.isBusy}
      submitLabel={trimmed === '' && group.issue_url !== null ? 'Remove link' : 'Save'}
      error={form.error}
      onSubmit={() =>
        form.submit({
          kind: 'update',
          input: { group_id: group.group_id, issue_url: trimmed === '' ? null : trimmed },
          message: trimmed === '' ? 'Link to the issue removed.' : 'Issue linked.',
        })
      }
      onClose={onClose}
    >
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
    </FormDialog>
  );
}

type RenameDialogProps = { group: GroupDetail; triage: Triage; onClose: () => void };

/** Replaces the title of a crash group, or gives it back its signature. */
export function RenameDialog({ group, triage, onClose }: RenameDialogProps) {
  const [title, setTitle] = useState(group.title);
  const form = useTriageForm(triage, onClose);
  const trimmed = title.trim();
  const isSignature = trimmed === '' || trimmed === group.signature;
  return (
    <FormDialog
      title="Rename crash group"
      submitLabel={isSignature ? 'Use signature' : 'Rename'}
      isBusy={form.isBusy}
      error={form.error}
      onSubmit={() =>
        form.submit({
          kind: 'update',
          input: { group_id: group.group_id, title: isSignature ? null : trimmed },
          message: isSignature ? 'The title is the signature again.' : 'Group renamed.',
        })
      }
      onClose={onClose}
    >
      <TextInput
        data-field="title"
        label="Title"
        description="Shown everywhere instead of the signature. Leave it empty for the signature."
        placeholder={group.signature}
        maxLength={LIMITS.titleLength}
        value={title}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export type SplitButtonProps = { group: GroupDetail; stack: CrashStack | undefined; triage: Triage };

/** The dialog that splits a crash group by a function on the stack. */
export function SplitDialog({ group, stack, triage, onClose }: SplitButtonProps & { onClose: () => void }) {
  const [name, setName] = useState('');
  const list = useId();
  const form = useTriageForm(triage, onClose);
  const functions = [...new Set(stack?.crashed?.frames.flatMap((frame) => frame.function ?? []))];
  return (
    <FormDialog
      title="Split crash group"
      submitLabel="Split group"
      isBusy={form.isBusy}
      isDisabled={name === ''}
      error={form.error}
      onSubmit={() =>
        form.submit({
          kind: 'split',
          input: { group_id: group.group_id, function: name },
          message: `Reports with ${name} on their stack are moving to a separate group.`,
        })
      }
      onClose={onClose}
    >
      <TextInput
        data-field="function"
        label="Function"
        description="Existing and new reports with this function anywhere on their stack go into a separate group."
        required
        value={name}
        list={list}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <datalist id={list}>
        {functions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </FormDialog>
  );
}
