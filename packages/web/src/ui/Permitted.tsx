// The role of the signed-in person on the game or in the organisation that is open, and controls that only some roles
// may use. For everyone else, these are left out or can't be changed, and a sentence says who may use them.
import { type Operation, roleScopeOf } from '@chauffeur/contract/operation';
import { formatOnlyThey, isAtLeast, type Role, type RoleScope } from '@chauffeur/contract/roles';
import { Text } from '@mantine/core';
import { createContext, type ReactNode, useContext } from 'react';
import { Notice } from './PageLayout.tsx';
import classes from './Permitted.module.css';

type PermittedProps = {
  /** What the controls call. */
  operation: Operation;
  /** What they are for, as a verb: `change the alerts`. Without it, they are left out without a sentence. */
  to?: string;
  children: ReactNode;
};

/** Shows nothing but the sentence to people whose role is too low. */
export function Permitted({ operation, to, children }: PermittedProps) {
  if (useMay(operation)) return children;
  return to === undefined ? null : <Text size="sm">{formatWho(operation, to)}</Text>;
}

/** Shows the values of the fields to people whose role is too low, below the sentence. The buttons are left out. */
export function PermittedFields({ operation, to, children }: PermittedProps) {
  if (useMay(operation)) return children;
  return (
    <>
      {to !== undefined && <Notice tone="none" title={formatWho(operation, to)} />}
      <fieldset disabled className={classes.values}>
        {children}
      </fieldset>
    </>
  );
}

function formatWho(operation: Operation, to: string): string {
  return formatOnlyThey(operation.role ?? 'owner', roleScopeOf(operation), to);
}

/** The frames of games and of organisations set it. */
export const OwnRole = createContext<{ readonly of: RoleScope; readonly role: Role } | null>(null);

/**
 * Whether someone with the role may call the operation. As on the server, an operation without a role is only for
 * owners.
 */
export function mayCall(role: Role, operation: Operation): boolean {
  return isAtLeast(role, operation.role ?? 'owner');
}

/** Whether the signed-in person may call the operation about the open game or organisation. */
export function useMay(operation: Operation): boolean {
  const own = useContext(OwnRole);
  if (own?.of !== roleScopeOf(operation)) throw new Error(`${operation.id} is not about what is open.`);
  return mayCall(own.role, operation);
}
