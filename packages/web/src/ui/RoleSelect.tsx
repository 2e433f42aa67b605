// What lists of members share: the column with the person, and the choice of a role.
import { ROLE_SUMMARIES, ROLES, type Role } from '@chauffeur/contract/roles';
import { NativeSelect, Text } from '@mantine/core';
import type { Column } from './DataTable.tsx';

export const PERSON_COLUMN: Column<{ readonly name: string; readonly email: string }> = {
  header: 'Person',
  cell: ({ name, email }) => (
    <>
      <strong>{name}</strong>{' '}
      <Text span size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {email}
      </Text>
    </>
  ),
};

type RoleSelectProps = {
  label: string;
  value: Role;
  roles: readonly Role[];
  isCompact?: boolean;
  isDisabled?: boolean;
  onChange: (role: Role) => void;
};

/**
 * Selects a role, and says in a line what it may do. With `isCompact`, as in a table, the label is for screen readers only, and the description is a tooltip.
 */
export function RoleSelect({ label, value, roles, isCompact = false, isDisabled = false, onChange }: RoleSelectProps) {
  const summary = ROLE_SUMMARIES[value];
  return (
    <NativeSelect
      data-field="role"
      {...(isCompact
        ? { 'aria-label': label, title: summary, size: 'xs' as const }
        : { label, description: summary, inputWrapperOrder: ['label', 'input', 'description', 'error'] as const })}
      data={roles.map((role) => ({ value: role, label: ROLES[role].label }))}
      value={value}
      disabled={isDisabled}
      maw={360}
      onChange={({ currentTarget }) => {
        const chosen = roles.find((role) => role === currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
    />
  );
}
