// What can be done with the crash groups that are selected in the list.
import { LIMITS } from '@chauffeur/contract/limits';
import { PRIORITIES } from '@chauffeur/contract/operations/crashes';
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import table from '../../ui/table.module.css';
import { useGame } from '../games/use-game.ts';
import { type ListedGroup, StatusButtons } from './GroupStatus.tsx';
import { formatDone, PRIORITY_NAMES } from './group-status.ts';
import type { Triage } from './use-triage.ts';

type BulkBarProps = {
  groups: readonly ListedGroup[];
  triage: Triage;
  onClear: () => void;
};

/** The empty value of a select that acts when another value is chosen. */
const UNCHANGED = '';
const NONE = 'none';

export function BulkBar({ groups, triage, onClear }: BulkBarProps) {
  const { members } = useGame();
  const ids = groups.map(({ group_id }) => group_id);
  const choose = (
    input: { assignee: string | null } | { priority: (typeof PRIORITIES)[number] | null },
    done: string,
  ) => triage.mutate({ kind: 'change', input: { group_ids: ids, ...input }, message: formatDone(ids.length, done) });
  return (
    <Group gap="sm" className={table.bulk} role="group" aria-label="Selected groups">
      <Text size="sm" fw={600}>
        {groups.length} selected
      </Text>
      <StatusButtons size="xs" statuses={groups.map(({ status }) => status)} groupIds={ids} triage={triage} />
      <NativeSelect
        aria-label="Assign to"
        size="xs"
        disabled={triage.isPending}
        value={UNCHANGED}
        data={[
          { value: UNCHANGED, label: 'Assign to…' },
          { value: NONE, label: 'No one' },
          ...members.map(({ user_id, name }) => ({ value: user_id, label: name })),
        ]}
        onChange={({ currentTarget: { value } }) => {
          if (value === UNCHANGED) return;
          const name = members.find(({ user_id }) => user_id === value)?.name;
          choose(
            { assignee: name === undefined ? null : value },
            name === undefined ? 'unassigned' : `assigned to ${name}`,
          );
        }}
      />
      <NativeSelect
        aria-label="Set priority"
        size="xs"
        disabled={triage.isPending}
        value={UNCHANGED}
        data={[
          { value: UNCHANGED, label: 'Set priority…' },
          ...PRIORITIES.map((value) => ({ value, label: PRIORITY_NAMES[value] })),
          { value: NONE, label: 'None' },
        ]}
        onChange={({ currentTarget: { value } }) => {
          if (value === UNCHANGED) return;
          const priority = PRIORITIES.find((each) => each === value) ?? null;
          choose(
            { priority },
            priority === null ? 'without priority now' : `set to ${PRIORITY_NAMES[priority].toLowerCase()} priority`,
          );
        }}
      />
      {groups.length > 1 && groups.length <= LIMITS.crashGroupsMerged && (
        <Button
          size="xs"
          variant="default"
          disabled={triage.isPending}
          onClick={() => {
            triage.mutate({
              kind: 'merge',
              input: { group_ids: ids },
              message: formatDone(ids.length, 'merged into one'),
            });
            onClear();
          }}
        >
          Merge
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  );
}
