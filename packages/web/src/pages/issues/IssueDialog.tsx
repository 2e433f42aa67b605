// The dialog that links a crash group or a bug ticket to an issue, or creates one in the tracker of the game.
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { draftCrashGroupIssue } from '@chauffeur/contract/operations/issue-tracker';
import { readWebAddress } from '@chauffeur/contract/web-address';
import { Button, Group, Skeleton, Text, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SiteLink } from '../../ui/SiteLink.tsx';
import { useGame } from '../games/use-game.ts';

type Draft = UseQueryResult<OutputOf<typeof draftCrashGroupIssue>>;

type IssueDialogProps = {
  /** The address of the linked issue. */
  issueUrl: string | null;
  /** A new issue, which is offered if none is linked. */
  draft: Draft;
  isBusy: boolean;
  error: Error | null;
  onCreate: () => void;
  /** Null removes the link. */
  onLink: (url: string | null) => void;
  onClose: () => void;
};

export function IssueDialog({ issueUrl, draft, isBusy, error, onCreate, onLink, onClose }: IssueDialogProps) {
  const [url, setUrl] = useState(issueUrl ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const trimmed = url.trim();
  const save = () => {
    const isValid = trimmed === '' || readWebAddress(trimmed) !== null;
    setProblem(isValid ? null : 'Enter an address that begins with https://.');
    if (isValid) onLink(trimmed === '' ? null : trimmed);
  };
  return (
    <FormDialog
      title="Link an issue"
      isBusy={isBusy}
      submitLabel={trimmed === '' && issueUrl !== null ? 'Remove link' : 'Save'}
      error={error}
      onSubmit={save}
      onClose={onClose}
    >
      {issueUrl === null && <NewIssue draft={draft} isBusy={isBusy} onCreate={onCreate} />}
      <TextInput
        data-field="issue_url"
        label="Address of the issue"
        description="In GitHub, GitLab, Jira, Linear or any other tracker. Leave it empty to remove the link."
        maxLength={LIMITS.issueUrlLength}
        value={url}
        error={problem}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** Offers a new issue in the tracker of the game: created by the service, or opened in the browser. */
function NewIssue({ draft, isBusy, onCreate }: { draft: Draft; isBusy: boolean; onCreate: () => void }) {
  const { slug } = useGame();
  const { data, error, refetch } = draft;
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
        <Button size="xs" loading={isBusy} onClick={onCreate}>
          Create issue
        </Button>
      )}
      <Button size="xs" variant="default" component="a" href={data.url} target="_blank" rel="noreferrer">
        Open a new issue
      </Button>
    </Group>
  );
}
