// The dialog that links a crash group to an issue, or creates one in the tracker of the game.
import { LIMITS } from '@chauffeur/contract/limits';
import { draftCrashGroupIssue } from '@chauffeur/contract/operations/issue-tracker';
import { Button, Group, Skeleton, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useGame } from '../games/use-game.ts';
import type { GroupDetail } from './TrendChart.tsx';
import { type Triage, useTriageForm } from './use-triage.ts';

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
