// Decides whether a person may change the role of a member, or remove them.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { mayGrant, type Role } from '@chauffeur/contract/roles';

export type RoleChange = {
  /** The role of the person who makes the change. */
  readonly by: Role;
  readonly from: Role;
  /** Null to remove the member. */
  readonly to: Role | null;
  /** The number of owners that the organisation has now. */
  readonly owners: number;
};

/** The error that prevents the change; null if nothing does. */
export function findRemovalObstacle({ by, from, to, owners }: RoleChange): ApiError | null {
  if (!mayGrant(by, from)) return errors.notAllowed(`Only owners can change the role of an owner. Your role is ${by}.`);
  if (to !== null && !mayGrant(by, to))
    return errors.notAllowed(`Only owners can make someone an owner. Your role is ${by}.`);
  return findLastOwnerObstacle({ from, to, owners });
}

/** The error that keeps the last owner; null if another owner remains, or the member is not an owner. */
export function findLastOwnerObstacle({ from, to, owners }: Omit<RoleChange, 'by'>): ApiError | null {
  if (from !== 'owner' || to === 'owner' || owners > 1) return null;
  return errors.lastOwner('An organisation needs an owner. Make another member an owner first.');
}
