// The issue tracker of a game, for issues about its crashes.
import type { OutputOf } from '@chauffeur/contract/operation';
import {
  getIssueTracker,
  removeIssueTracker,
  setIssueTracker,
  TRACKER_KINDS,
  type TrackerKind,
} from '@chauffeur/contract/operations/issue-tracker';
import { Button, Code, Group, NativeSelect, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, call } from '../../api.ts';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Notice, PageHead } from '../../ui/PageLayout.tsx';
import { Permitted } from '../../ui/Permitted.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { DocLink } from '../../ui/SiteLink.tsx';
import { UnsavedChanges } from '../../ui/UnsavedWarning.tsx';
import { useGame } from '../games/use-game.ts';

type Tracker = OutputOf<typeof getIssueTracker>['tracker'];

const KIND_NAMES: Readonly<Record<TrackerKind, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  other: 'Another tracker',
};
const KINDS = TRACKER_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }));
const PUBLIC_URLS = { github: 'https://github.com', gitlab: 'https://gitlab.com' } as const;

/** What the token must be allowed to do. */
const TOKENS = {
  github: 'A fine-grained personal access token for this repository, with write access to issues',
  gitlab: 'A project access token with the role Reporter and the scope api',
} as const;

export function IssueTrackerPage() {
  const game = useGame();
  const uid = game.game_uid;
  const { data, error, refetch } = useQuery(ask(getIssueTracker, { uid }));
  return (
    <Stack gap="md">
      <PageHead title="Issue tracker" tabTitle={`Issue tracker · ${game.name}`} />
      <Text size="sm">
        Create issues about crash groups in GitHub or GitLab, or open a new issue in any tracker with a click. See{' '}
        <DocLink page="triage">Triage</DocLink>.
      </Text>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <Skeleton h={260} />
      ) : (
        <TrackerForm key={uid} uid={uid} tracker={data.tracker} />
      )}
    </Stack>
  );
}

type Fields = { kind: TrackerKind; baseUrl: string; project: string; template: string; token: string };

function fieldsOf(tracker: Tracker): Fields {
  return {
    kind: tracker?.kind ?? 'github',
    baseUrl: tracker?.base_url ?? '',
    project: tracker?.project ?? '',
    template: tracker?.kind === 'other' ? tracker.url_template : '',
    token: '',
  };
}

/** The body of the request that saves the settings. */
function usedFields({ kind, baseUrl, project, template, token }: Fields): readonly string[] {
  return kind === 'other' ? [kind, template.trim()] : [kind, baseUrl.trim(), project.trim(), token.trim()];
}

function TrackerForm({ uid, tracker }: { uid: string; tracker: Tracker }) {
  const queries = useQueryClient();
  const saved = fieldsOf(tracker);
  const [{ kind, baseUrl, project, template, token }, setFields] = useState(saved);
  const [isRemoving, setRemoving] = useState(false);
  const set = (changes: Partial<Fields>) => setFields((before) => ({ ...before, ...changes }));
  const isChanged =
    JSON.stringify(usedFields({ kind, baseUrl, project, template, token })) !== JSON.stringify(usedFields(saved));
  const reload = () => queries.invalidateQueries({ queryKey: [getIssueTracker.id] });
  const saving = useMutation({
    mutationFn: () =>
      kind === 'other'
        ? call(setIssueTracker, { uid, kind, url_template: template.trim() })
        : call(setIssueTracker, {
            uid,
            kind,
            project: project.trim(),
            ...(baseUrl.trim() !== '' && { base_url: baseUrl.trim() }),
            ...(token.trim() !== '' && { token: token.trim() }),
          }),
    onSuccess: async () => {
      set({ token: '' });
      await reload();
    },
  });
  const removing = useMutation({
    mutationFn: () => call(removeIssueTracker, { uid }),
    onSuccess: async () => {
      setRemoving(false);
      setFields(fieldsOf(null));
      saving.reset();
      await reload();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md" maw={560}>
        <NativeSelect
          data-field="kind"
          label="Tracker"
          data={KINDS}
          value={kind}
          onChange={({ currentTarget: { value } }) => {
            set({ kind: TRACKER_KINDS.find((each) => each === value) ?? 'other', baseUrl: '' });
          }}
        />
        {kind === 'other' ? (
          <TextInput
            data-field="url_template"
            label="Address of the page for a new issue"
            description={
              <>
                <Code>{'{title}'}</Code> and <Code>{'{body}'}</Code> are replaced, for example{' '}
                <Code>{'https://linear.new?title={title}&description={body}'}</Code>
              </>
            }
            type="url"
            required
            withAsterisk={false}
            placeholder="https://"
            value={template}
            onChange={({ currentTarget }) => set({ template: currentTarget.value })}
          />
        ) : (
          <>
            <TextInput
              data-field="project"
              label={kind === 'github' ? 'Repository' : 'Project'}
              description={kind === 'github' ? 'Such as owner/repository' : 'Its path, such as group/project'}
              required
              withAsterisk={false}
              pattern="[A-Za-z0-9_.\-]+(/[A-Za-z0-9_.\-]+)+"
              value={project}
              onChange={({ currentTarget }) => set({ project: currentTarget.value })}
            />
            <TextInput
              data-field="base_url"
              label="Server"
              description={`Only if you run your own. Leave it empty for ${PUBLIC_URLS[kind]}.`}
              type="url"
              placeholder={PUBLIC_URLS[kind]}
              value={baseUrl}
              onChange={({ currentTarget }) => set({ baseUrl: currentTarget.value })}
            />
            <Permitted operation={setIssueTracker}>
              <PasswordInput
                data-field="token"
                label="Access token"
                description={
                  tracker?.has_token === true
                    ? 'A token is stored. Enter another one to replace it.'
                    : `${TOKENS[kind]}. Without one, prefilled issues open in your browser.`
                }
                autoComplete="off"
                value={token}
                onChange={({ currentTarget }) => set({ token: currentTarget.value })}
              />
            </Permitted>
          </>
        )}
        {saving.error !== null && <Problem error={saving.error} />}
        <Group gap="sm">
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
          {tracker !== null && (
            <Button variant="default" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          )}
        </Group>
        <div role="status">{saving.isSuccess && !isChanged && <Notice tone="good" title="Issue tracker saved." />}</div>
      </Stack>
      {isRemoving && (
        <ConfirmDialog
          title="Remove the issue tracker?"
          confirmLabel="Remove"
          isBusy={removing.isPending}
          error={removing.error}
          onConfirm={() => removing.mutate()}
          onClose={() => setRemoving(false)}
        >
          <Text size="sm">
            Crash groups keep the links to their issues. {tracker?.has_token === true && 'The access token is deleted.'}
          </Text>
        </ConfirmDialog>
      )}
      <UnsavedChanges isChanged={isChanged} name="issue tracker" />
    </form>
  );
}
