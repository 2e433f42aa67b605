// Organisations: created by a person, who becomes their owner; seen by their members; renamed and deleted by owners.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/organisations';
import type { SignInRequirement } from '@chauffeur/contract/required-sign-in';
import { formatMissingRole, isAtLeast, type Role } from '@chauffeur/contract/roles';
import type { AccountCaller, Context } from '../../context.ts';
import { DAY } from '../../kernel/clock.ts';
import {
  type Db,
  isMissingReference,
  isUniqueViolation,
  retryConflicts,
  type Tx,
  transact,
} from '../../kernel/database/db.ts';
import { newId } from '../../kernel/secrets/ids.ts';
import { auditChange, auditChanges, noteOrganisation } from '../../request/audit.ts';
import {
  endFormerAddress,
  FORMER_ORGANISATION_SLUGS,
  keepFormerAddress,
  RESERVED_DAYS,
  ReservedAddressError,
} from '../../request/former-addresses.sql.ts';
import { handle } from '../../request/route.ts';
import { trimText } from '../../request/text-rules.ts';
import * as organisations from './organisations.sql.ts';
import * as signIn from './organisations.sql.ts';
import { findObstacleOf, findObstacleToRequiring, listMetRequirements, readSignIn } from './required-sign-in.ts';

export { listMetRequirements };

export type Organisation = organisations.OrganisationRow;
type Detail = OutputOf<typeof contract.getOrganisation>;

export const listOrganisations = handle(contract.listOrganisations, async (ctx, { caller }) => {
  const own = isLimitedToGame(caller) ? [] : await organisations.listOfPerson(ctx.db, caller.user.id);
  const met = own.length === 0 ? [] : await listMetRequirements(ctx.db, caller);
  return { organisations: own.map((row) => recordOf(row, caller, met)) };
});

/** An agent that is limited to one game sees nothing else. */
function isLimitedToGame({ agent }: AccountCaller): boolean {
  return agent !== undefined && agent.gameIds !== null;
}

function recordOf(row: organisations.OwnOrganisation, { user }: AccountCaller, met: readonly SignInRequirement[]) {
  const { organisation_id, slug, name, role, games, members, created_at, personal_of, required_sign_in } = row;
  return {
    organisation_uid: organisation_id,
    slug,
    name,
    role,
    personal: personal_of === user.id,
    games,
    members,
    required_sign_in,
    sign_in_met: required_sign_in === null || met.includes(required_sign_in),
    created_at: created_at.toISOString(),
  };
}

/** The organisation as its member sees it. Throws `notFound` for others. */
export async function readDetail(db: Db, caller: AccountCaller, organisationId: string): Promise<Detail> {
  const [own] = await organisations.listOfPerson(db, caller.user.id, organisationId);
  if (own === undefined) throw unknownOrganisation();
  const members = await organisations.listMembersOf(db, organisationId);
  const games = await organisations.listOrganisationGames(db, organisationId);
  return {
    ...recordOf(own, caller, await listMetRequirements(db, caller)),
    member_list: members.map((member) => ({ ...member, added_at: member.added_at.toISOString() })),
    game_list: games.map(({ game_id, slug, name, visibility }) => ({ game_uid: game_id, slug, name, visibility })),
  };
}

export const createOrganisation = handle(contract.createOrganisation, async (ctx, { caller, input }) => {
  const { user } = caller;
  if ((await organisations.countOfPerson(ctx.db, user.id)) >= LIMITS.organisations)
    throw errors.invalid(`name: you are a member of ${LIMITS.organisations} organisations. Leave one first.`);
  const organisationId = newId();
  return withFreeSlug(input.slug, () =>
    transact(ctx.db, async (tx) => {
      const name = trimText('name', input.name);
      await organisations.insertOrganisation(tx, { organisationId, name, slug: input.slug ?? null });
      await takeSlug(ctx, tx, caller, input.slug ?? null);
      await organisations.setMemberRoleWithin(tx, organisationId, user.id, 'owner');
      noteOrganisation({ organisation_id: organisationId });
      auditChanges({}, { name, slug: input.slug ?? null });
      return readDetail(tx, caller, organisationId);
    }),
  );
});

/**
 * Stops the slug from leading to another organisation. Throws ReservedAddressError. Call it after the organisation has
 * the slug, when a concurrent change has been committed.
 */
async function takeSlug(ctx: Context, tx: Tx, { user }: AccountCaller, slug: string | null): Promise<void> {
  if (slug === null) return;
  if (await organisations.isReservedOrganisationSlug(tx, slug, user.id, ctx.clock.now()))
    throw new ReservedAddressError(slug);
  await endFormerAddress(tx, FORMER_ORGANISATION_SLUGS, slug);
}

/** The former slug keeps leading to the organisation. */
async function changeSlug(
  ctx: Context,
  tx: Tx,
  caller: AccountCaller,
  { organisation_id: owner, slug: former }: Organisation,
  slug: string | null,
): Promise<void> {
  await takeSlug(ctx, tx, caller, slug);
  if (former === null) return;
  const now = ctx.clock.now();
  const reservedUntil = new Date(now.getTime() + RESERVED_DAYS * DAY);
  await keepFormerAddress(tx, FORMER_ORGANISATION_SLUGS, { owner, address: former, now, reservedUntil });
}

async function withFreeSlug<T>(slug: string | null | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // The person deleted their account in the meantime.
    if (isMissingReference(error)) throw errors.notSignedIn(undefined, { cause: error });
    if (error instanceof ReservedAddressError)
      throw errors.invalid(`slug: ${slug} was another organisation's, and is reserved. Choose another one.`, {
        cause: error,
      });
    if (!isUniqueViolation(error)) throw error;
    throw errors.invalid(`slug: ${slug} belongs to another organisation. Choose another one.`, { cause: error });
  }
}

export const getOrganisation = handle(contract.getOrganisation, async (ctx, { caller, input }) => {
  const { organisation } = await requireOrganisation(ctx, caller, input.organisation);
  return readDetail(ctx.db, caller, organisation.organisation_id);
});

export const updateOrganisation = handle(contract.updateOrganisation, (ctx, { caller, input }) => {
  return withFreeSlug(input.slug, () =>
    changeOrganisation(ctx, caller, input.organisation, async (tx, organisation) => {
      const { organisation_id: id } = organisation;
      const name = input.name === undefined ? undefined : trimText('name', input.name);
      await organisations.updateOrganisation(tx, id, { name, slug: input.slug });
      if (input.slug !== undefined && input.slug !== organisation.slug)
        await changeSlug(ctx, tx, caller, organisation, input.slug);
      auditChanges(organisation, { name, slug: input.slug });
      return readDetail(tx, caller, id);
    }),
  );
});

export const deleteOrganisation = handle(contract.deleteOrganisation, async (ctx, { caller, input }) => {
  return changeOrganisation(ctx, caller, input.organisation, async (tx, { organisation_id: id, name, slug }) => {
    await organisations.deleteOrganisation(tx, id);
    auditChange('organisation', { name, slug }, null);
    return { organisation_uid: id };
  }).catch((cause: unknown) => {
    throw isMissingReference(cause) ? errors.organisationHasGames(undefined, { cause }) : cause;
  });
});

export const getOrganisationSignIn = handle(contract.getOrganisationSignIn, async (ctx, { caller, input }) => {
  const { organisation } = await requireOrganisation(ctx, caller, input.organisation);
  return readSignIn(ctx, organisation);
});

/** Throws `invalid` without a single sign-on, and `strongerSignInNeeded` if the caller would lock themselves out. */
export const requireSignIn = handle(contract.requireSignIn, (ctx, { caller, input }) => {
  const required = input.required_sign_in;
  return changeOrganisation(ctx, caller, input.organisation, async (tx, organisation) => {
    const obstacle = required === null ? null : await findObstacleToRequiring(ctx, tx, caller, organisation, required);
    if (obstacle !== null) throw obstacle;
    await setRequiredSignInWithin(tx, organisation, required);
    return readDetail(tx, caller, organisation.organisation_id);
  });
});

/** Sets what people must sign in with, without checking who does so. */
export async function setRequiredSignInWithin(
  tx: Tx,
  { organisation_id: id, required_sign_in: before }: Organisation,
  required: SignInRequirement | null,
): Promise<void> {
  await signIn.setRequired(tx, id, required);
  auditChange('required_sign_in', before, required);
}

/** `anySignIn`: also without the sign-in that the organisation requires. */
type AccessOptions = { readonly anySignIn?: boolean };

/**
 * Returns an organisation in which the caller has the role that the called operation needs. Throws `notAllowed` if
 * their role is lower, `strongerSignInNeeded` if they have not signed in as the organisation requires, and `notFound`
 * if they are not a member.
 */
export async function requireOrganisation(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  options: AccessOptions = {},
): Promise<{ organisation: Organisation; role: Role }> {
  const organisation = isLimitedToGame(caller) ? undefined : await organisations.findOrganisation(ctx.db, ref);
  if (organisation === undefined) throw unknownOrganisation();
  return { organisation, role: await requireAccess(ctx, ctx.db, caller, organisation, options) };
}

async function requireAccess(
  ctx: Context,
  db: Db,
  caller: AccountCaller,
  organisation: Organisation,
  { anySignIn = false }: AccessOptions,
): Promise<Role> {
  const { organisation_id: organisationId, required_sign_in: required } = organisation;
  const role = await organisations.roleIn(db, organisationId, caller.user.id);
  if (role === null) throw unknownOrganisation();
  const obstacle =
    required === null || anySignIn
      ? null
      : await findObstacleOf(ctx, db, caller, { ...organisation, required_sign_in: required });
  if (obstacle !== null) throw obstacle;
  noteOrganisation(organisation);
  const needed = caller.neededRole ?? 'owner';
  if (!isAtLeast(role, needed)) throw errors.notAllowed(formatMissingRole(role, needed, 'organisation'));
  return role;
}

/**
 * Runs `work` in a transaction that holds the organisation's lock, with the role that the caller has then. So when two
 * owners demote each other at once, the second one fails.
 */
export async function changeOrganisation<T>(
  ctx: Context,
  caller: AccountCaller,
  ref: string,
  work: (tx: Tx, organisation: Organisation, role: Role) => Promise<T>,
  options: AccessOptions = {},
): Promise<T> {
  const { organisation } = await requireOrganisation(ctx, caller, ref, options);
  return retryConflicts(() =>
    transact(ctx.db, async (tx) => {
      const locked = await organisations.lockOrganisation(tx, organisation.organisation_id);
      if (locked === undefined) throw unknownOrganisation();
      return work(tx, locked, await requireAccess(ctx, tx, caller, locked, options));
    }),
  );
}

/** Locks the organisation until the transaction ends. Throws `notFound` if it was deleted. */
export async function lockOrganisation(tx: Tx, organisationId: string): Promise<Organisation> {
  const organisation = await organisations.lockOrganisation(tx, organisationId);
  if (organisation === undefined) throw unknownOrganisation();
  noteOrganisation(organisation);
  return organisation;
}

function unknownOrganisation(): ApiError {
  return errors.notFound("This organisation does not exist, or you don't have access to it.");
}
