// Controls that crash groups and bug tickets share: who works on one, and its issue in a tracker.
import { Anchor, NativeSelect } from '@mantine/core';

type Member = { readonly user_id: string; readonly name: string };

type AssigneeSelectProps = {
  /** Those who can be chosen. An assignee who is no longer a member is offered too. */
  members: readonly Member[];
  assignee: Member | null;
  isDisabled: boolean;
  onChange: (assignee: Member | null) => void;
};

export function AssigneeSelect({ members, assignee, isDisabled, onChange }: AssigneeSelectProps) {
  const isMember = assignee === null || members.some(({ user_id }) => user_id === assignee.user_id);
  const choices = members.map(({ user_id, name }) => ({ value: user_id, label: name }));
  if (!isMember) choices.push({ value: assignee.user_id, label: `${assignee.name} (former member)` });
  return (
    <NativeSelect
      aria-label="Assignee"
      size="xs"
      maw={220}
      data={[{ value: '', label: 'Unassigned' }, ...choices]}
      value={assignee?.user_id ?? ''}
      disabled={isDisabled}
      onChange={({ currentTarget: { value } }) => {
        const choice = choices.find((each) => each.value === value);
        onChange(choice === undefined ? null : { user_id: choice.value, name: choice.label });
      }}
    />
  );
}

/** The link to an issue, whose address comes from a member of the game. */
export function IssueAnchor({ url }: { url: string }) {
  return (
    <Anchor href={url} rel="noreferrer" target="_blank">
      {formatAddress(url)}
    </Anchor>
  );
}

/** The address without the protocol, shortened in the middle. */
function formatAddress(url: string): string {
  const text = url.replace(/^https?:\/\//, '');
  return text.length <= 48 ? text : `${text.slice(0, 20)}…${text.slice(-26)}`;
}
