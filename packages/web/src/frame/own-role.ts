// The role of the signed-in person on the game, or in the organisation, whose pages are open.
import { type Operation, roleScopeOf } from '@chauffeur/contract/operation';
import { isAtLeast, type Role, type RoleScope } from '@chauffeur/contract/roles';
import { createContext, useContext } from 'react';

/** Set by the frames of games and of organisations. */
export const OwnRole = createContext<{ readonly of: RoleScope; readonly role: Role } | null>(null);

/** Whether someone with the role may call the operation. As on the server, one without a role is only for owners. */
export function mayCall(role: Role, operation: Operation): boolean {
  return isAtLeast(role, operation.role ?? 'owner');
}

/** Whether the signed-in person may call the operation about the open game or organisation. */
export function useMay(operation: Operation): boolean {
  const own = useContext(OwnRole);
  if (own?.of !== roleScopeOf(operation)) throw new Error(`${operation.id} is not about what is open.`);
  return mayCall(own.role, operation);
}
