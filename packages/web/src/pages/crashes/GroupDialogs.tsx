// The dialogs that rename, split, resolve and snooze crash groups, and link their issues. They are one piece of code,
// loaded when the first one opens.
import { LIMITS } from '@chauffeur/contract/limits';
import { listGameBuilds } from '@chauffeur/contract/operations/builds';
import type { CrashStack } from '@chauffeur/contract/operations/crash-stacks';
import { draftCrashGroupIssue } from '@chauffeur/contract/operations/issue-tracker';
import { NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ask } from '../../api.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { useGame } from '../games/use-game.ts';
import { IssueDialog } from '../issues/IssueDialog.tsx';
import {
  type GroupDetail,
  type GroupStatusAction,
  type StatusChange,
  type Triage,
  useTriageForm,
} from './use-triage.ts';

type IssueDialogProps = { group: GroupDetail; triage: Triage; onClose: () => void };

/** The dialog that links a crash group to an issue, or creates one. */
export function GroupIssueDialog({ group, triage, onClose }: IssueDialogProps) {
  const { game_uid: uid } = useGame();
  const { group_id: groupId, issue_url: issueUrl } = group;
  const draft = useQuery({
    ...ask(draftCrashGroupIssue, { uid, group_id: groupId }),
    enabled: issueUrl === null,
    // The tracker may have been set up a moment ago.
    staleTime: 0,
  });
  const { error, isBusy, submit } = useTriageForm(triage, onClose);
  return (
    <IssueDialog
      issueUrl={issueUrl}
      draft={draft}
      isBusy={isBusy}
      error={error}
      onCreate={() => submit({ kind: 'issue', input: { group_id: groupId }, message: 'Issue created and linked.' })}
      onLink={(url) =>
        submit({
          kind: 'update',
          input: { group_id: groupId, issue_url: url },
          message: url === null ? 'Link to the issue removed.' : 'Issue linked.',
        })
      }
      onClose={onClose}
    />
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

type DialogProps = {
  count: number;
  triage: Triage;
  actionOf: GroupStatusAction;
  onClose: () => void;
};

function nameOf(count: number): string {
  return count === 1 ? 'crash group' : `${count} crash groups`;
}

/** The number of newest builds whose versions are suggested as the one with the fix. */
const MAX_BUILDS = 100;

/** The dialogs that resolve or snooze crash groups. */
export function ResolveDialog({ count, triage, actionOf, onClose }: DialogProps) {
  const { error, isBusy, submit } = useTriageForm(triage, onClose);
  const { game_uid: uid } = useGame();
  const { data } = useQuery(ask(listGameBuilds, { uid, page_size: MAX_BUILDS }));
  const versions = [...new Set(data?.builds.map((build) => build.version))];
  const [version, setVersion] = useState('');
  const list = useId();
  const fixedIn = version.trim() === '' ? null : version.trim();
  return (
    <FormDialog
      title={`Resolve ${nameOf(count)}`}
      isBusy={isBusy}
      submitLabel={fixedIn === null ? 'Resolve' : `Resolve as fixed in ${fixedIn}`}
      error={error}
      onSubmit={() =>
        submit(
          actionOf(
            { status: 'resolved', ...(fixedIn !== null && { fixed_in_version: fixedIn }) },
            fixedIn === null ? 'resolved in the next build' : `resolved as fixed in ${fixedIn}`,
          ),
        )
      }
      onClose={onClose}
    >
      <TextInput
        data-field="fixed_in_version"
        label="Fixed in version"
        description="This can be a version that isn't released yet. Leave it empty for the next registered build."
        maxLength={LIMITS.versionLength}
        value={version}
        list={list}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setVersion(event.currentTarget.value)}
      />
      <datalist id={list}>
        {versions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Text size="sm">
        {fixedIn === null
          ? 'Reports from existing builds still count here. A report from a build registered after this moment reopens the group as a regression.'
          : `Reports from older builds still count here. A report from ${fixedIn} or a later build reopens the group as a regression.`}
      </Text>
    </FormDialog>
  );
}

const DAY_MS = 24 * 3600 * 1000;
const SNOOZES = [
  { value: 'day', label: 'A day' },
  { value: 'week', label: 'A week' },
  { value: 'date', label: 'Until a date' },
  { value: 'reports', label: 'For a number of reports' },
  { value: 'next_build', label: 'Until it happens in a new build' },
] as const;
type SnoozeKind = (typeof SNOOZES)[number]['value'];

export function SnoozeDialog({ count, triage, actionOf, onClose }: DialogProps) {
  const { error, isBusy, submit } = useTriageForm(triage, onClose);
  const [kind, setKind] = useState<SnoozeKind>('week');
  const [date, setDate] = useState('');
  const [reports, setReports] = useState<string | number>(100);
  const [now] = useState(() => Date.now());
  const snooze = snoozeOf(kind, { date, reports: Number(reports), now });
  return (
    <FormDialog
      title={`Snooze ${nameOf(count)}`}
      submitLabel="Snooze"
      isBusy={isBusy}
      isDisabled={snooze === null}
      error={error}
      onSubmit={() => {
        if (snooze !== null) submit(actionOf({ status: 'snoozed', snooze }, 'snoozed'));
      }}
      onClose={onClose}
    >
      <Radio.Group label="How long" value={kind} onChange={(value) => setKind(value as SnoozeKind)}>
        <Stack gap={6} mt={6}>
          {SNOOZES.map(({ value, label }) => (
            <Radio key={value} value={value} label={label} {...(value === 'week' && { 'data-autofocus': true })} />
          ))}
        </Stack>
      </Radio.Group>
      {kind === 'date' && (
        <TextInput
          data-field="snooze.until"
          label="Date"
          type="date"
          required
          min={new Date(now + DAY_MS).toISOString().slice(0, 10)}
          value={date}
          onChange={(event) => setDate(event.currentTarget.value)}
        />
      )}
      {kind === 'reports' && (
        <NumberInput
          data-field="snooze.reports"
          label="Reports"
          required
          withAsterisk={false}
          min={1}
          max={1_000_000_000}
          value={reports}
          onChange={setReports}
        />
      )}
      <Text size="sm">
        Until then, it causes no alerts and is only listed under Snoozed. Reports are still counted.
      </Text>
    </FormDialog>
  );
}

type SnoozeInput = { date: string; reports: number; now: number };

/** The time until which the group is snoozed; null if the input is not complete. */
function snoozeOf(kind: SnoozeKind, { date, reports, now }: SnoozeInput): NonNullable<StatusChange['snooze']> | null {
  switch (kind) {
    case 'day':
      return { until: new Date(now + DAY_MS).toISOString() };
    case 'week':
      return { until: new Date(now + 7 * DAY_MS).toISOString() };
    case 'date': {
      // The beginning of that day for the visitor.
      const until = new Date(`${date}T00:00:00`);
      return Number.isNaN(until.getTime()) || until.getTime() <= now ? null : { until: until.toISOString() };
    }
    case 'reports':
      return Number.isInteger(reports) && reports > 0 ? { reports } : null;
    case 'next_build':
      return { next_build: true };
  }
}
