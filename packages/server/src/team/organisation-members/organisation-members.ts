// Changes who is a member of an organisation, with which role, and which organisation owns a game.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/organisations';
import type { Role } from '@chauffeur/contract/roles';
import type { Context } from '../../context.ts';
import { retryConflicts, type Tx, transact } from '../../kernel/database/db.ts';
import { findUserById } from '../../people/accounts/accounts.sql.ts';
import { lockGame, requireOwner } from '../../people/game-access/game-access.ts';
import {
  findOrganisation,
  listMembersOf,
  removeMemberWithin,
  setMemberRoleWithin,
} from '../../people/organisations/organisations.sql.ts';
import {
  changeOrganisation,
  type Organisation,
  readDetail,
  requireOrganisation,
} from '../../people/organisations/organisations.ts';
import { auditChange } from '../../request/audit.ts';
import { handle } from '../../request/route.ts';
import { handOverApprovals } from '../approvals/approvals.ts';
import { findLastOwnerObstacle, findRemovalObstacle } from './member-rules.ts';
import * as ownership from './ownership.sql.ts';

/** Throws `notAllowed`, `notFound` and `lastOwner`. */
export const setMemberRole = handle(contract.setMemberRole, (ctx, { caller, input }) => {
  return changeOrganisation(ctx, caller, input.organisation, async (tx, { organisation_id: id }, by) => {
    const { name, role: from, owners } = await requireMember(tx, id, input.user_id);
    const obstacle = findRemovalObstacle({ by, from, to: input.role, owners });
    if (obstacle !== null) throw obstacle;
    await setMemberRoleWithin(tx, id, input.user_id, input.role);
    auditChange('member', { name, role: from }, { name, role: input.role });
    if (from === 'owner' && input.role !== 'owner') await giveGamesToOtherOwner(ctx, tx, id, input.user_id);
    return readDetail(tx, caller, id);
  });
});

/** Throws `notAllowed`, `notFound` and `lastOwner`. */
export const removeMember = handle(contract.removeMember, (ctx, { caller, input }) => {
  return changeOrganisation(ctx, caller, input.organisation, async (tx, { organisation_id: id }, by) => {
    if (input.user_id === caller.user.id) throw errors.invalid('user_id: this is you. Leave the organisation instead.');
    const { name, role: from, owners } = await requireMember(tx, id, input.user_id);
    const obstacle = findRemovalObstacle({ by, from, to: null, owners });
    if (obstacle !== null) throw obstacle;
    await removeWithin(ctx, tx, id, input.user_id);
    auditChange('member', { name, role: from }, null);
    return readDetail(tx, caller, id);
  });
});

/** Needs no sign-in that the organisation requires. Throws `notFound` and `lastOwner`. */
export const leaveOrganisation = handle(contract.leaveOrganisation, (ctx, { caller, input }) => {
  const leave = async (tx: Tx, { organisation_id: id }: Organisation, from: Role) => {
    const { name, owners } = await requireMember(tx, id, caller.user.id);
    const obstacle = findLastOwnerObstacle({ from, to: null, owners });
    if (obstacle !== null) throw obstacle;
    await removeWithin(ctx, tx, id, caller.user.id);
    auditChange('member', { name, role: from }, null);
    return { organisation_uid: id };
  };
  return changeOrganisation(ctx, caller, input.organisation, leave, { anySignIn: true });
});

async function requireMember(tx: Tx, organisationId: string, userId: string) {
  const members = await listMembersOf(tx, organisationId);
  const member = members.find(({ user_id }) => user_id === userId);
  if (member === undefined) throw errors.notFound('user_id: the organisation has no such member.');
  return { name: member.name, role: member.role, owners: members.filter(({ role }) => role === 'owner').length };
}

async function removeWithin(ctx: Context, tx: Tx, organisationId: string, userId: string): Promise<void> {
  await removeMemberWithin(tx, organisationId, userId);
  await giveGamesToOtherOwner(ctx, tx, organisationId, userId);
}

/** Makes another owner responsible for the games of someone who is no longer an owner. */
async function giveGamesToOtherOwner(ctx: Context, tx: Tx, organisationId: string, userId: string): Promise<void> {
  const next = (await listMembersOf(tx, organisationId)).find(
    ({ role, user_id }) => role === 'owner' && user_id !== userId,
  );
  const owner = next === undefined ? null : await findUserById(tx, next.user_id);
  if (owner === null) return;
  for (const gameId of await ownership.changeResponsible(tx, organisationId, { from: userId, to: owner.id }))
    await handOverApprovals(ctx, tx, await lockGame(tx, gameId), owner);
}

/** Moves a game to another organisation of which the caller is an owner. Throws `notAllowed` and `notFound`. */
export const moveGame = handle(contract.moveGame, async (ctx, { caller, input }) => {
  const { game_id: gameId } = await requireOwner(ctx, caller, input.uid);
  const { organisation } = await requireOrganisation(ctx, caller, input.organisation);
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const game = await lockGame(tx, gameId);
      // The locks are taken in the order of the ids, so that two moves do not wait for each other.
      const ids = [game.organisation_id, organisation.organisation_id].toSorted();
      const owned = await ownership.lockOwned(tx, ids, caller.user.id);
      if (new Set(ids).size !== owned.length)
        throw errors.notAllowed('Only an owner of both organisations can do this.');
      await ownership.moveGameRow(tx, gameId, { organisationId: organisation.organisation_id, owner: caller.user.id });
      const moved = await lockGame(tx, gameId);
      auditChange('organisation', await nameOf(tx, game.organisation_id), await nameOf(tx, moved.organisation_id));
      const owner = await findUserById(tx, moved.owner_id);
      if (owner !== null && moved.owner_id !== game.owner_id) await handOverApprovals(ctx, tx, moved, owner);
      return { game_uid: gameId, organisation_uid: moved.organisation_id };
    }),
  );
});

async function nameOf(tx: Tx, organisationId: string): Promise<string | undefined> {
  return (await findOrganisation(tx, organisationId))?.name;
}

/**
 * Prepares the deletion of an account: its games go to other owners, and organisations that only this person owns are
 * deleted. False if one of these has games, in which case nothing is changed.
 */
export function leaveAllOrganisations(ctx: Context, userId: string): Promise<boolean> {
  return transact(ctx.db, async (tx) => {
    const owned = await ownership.lockOrganisationsOf(tx, userId);
    if (owned.some(({ other_owners, games }) => other_owners === 0 && games > 0)) return false;
    for (const { organisation_id: id, other_owners } of owned) {
      if (other_owners === 0) await ownership.deleteEmptyOrganisation(tx, id);
      else await removeWithin(ctx, tx, id, userId);
    }
    return true;
  });
}
