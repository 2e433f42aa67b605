// What an organisation requires of how people sign in: set by its owners, and checked for each call.

import { type ApiError, errors } from '@chauffeur/contract/errors';
import type { OutputOf } from '@chauffeur/contract/operation';
import * as contract from '@chauffeur/contract/operations/organisations';
import {
  meetsRequirement,
  SIGN_IN_REQUIREMENTS,
  type SignInProof,
  type SignInRequirement,
} from '@chauffeur/contract/required-sign-in';
import type { AccountCaller, Context } from '../../context.ts';
import type { Db } from '../../kernel/database/db.ts';
import { handle } from '../../request/route.ts';
import { hasSecondFactor } from '../accounts/second-factors.sql.ts';
import * as sql from './organisations.sql.ts';

type Required = OutputOf<typeof contract.listSignInRequirements>['requirements'];

/** What the caller meets, for queries that leave out what they have no access to. */
export async function listMetRequirements(db: Db, caller: AccountCaller): Promise<SignInRequirement[]> {
  const { signInMethod: method, user } = caller;
  const possible = SIGN_IN_REQUIREMENTS.filter((each) => meetsRequirement(each, { method, hasSecondFactor: true }));
  if (possible.length === 0) return [];
  const proof = { method, hasSecondFactor: await hasSecondFactor(db, user.id) };
  return possible.filter((each) => meetsRequirement(each, proof));
}

/** The error `strongerSignInNeeded` with what to do; null if the caller signed in as the organisation requires. */
export async function findObstacleOf(
  ctx: Context,
  db: Db,
  caller: AccountCaller,
  organisation: sql.RequiringOrganisation,
): Promise<ApiError | null> {
  const { organisation_id: uid, name, required_sign_in: required } = organisation;
  const { agent, isCommand, signInMethod: method, user } = caller;
  return findSignInObstacle({
    organisation: { uid, name },
    required,
    proof: { method, hasSecondFactor: await hasSecondFactor(db, user.id) },
    caller: agent?.kind ?? (isCommand === true ? 'command' : 'person'),
    publicUrl: ctx.publicUrl,
    singleSignOn: nameOfSingleSignOn(ctx),
  });
}

function nameOfSingleSignOn({ config }: Context): string | null {
  return config.oidcIssuer === undefined ? null : config.oidcName;
}

/** The error for the organisation with this id; null if it requires nothing, or the caller meets it. */
export async function findObstacleIn(
  ctx: Context,
  caller: AccountCaller,
  organisationId: string,
): Promise<ApiError | null> {
  const organisation = await sql.findRequiring(ctx.db, organisationId);
  return organisation === undefined ? null : findObstacleOf(ctx, ctx.db, caller, organisation);
}

/** Throws `strongerSignInNeeded` if the caller's own organisation requires a sign-in that they don't meet. */
export async function requirePersonalSignIn(ctx: Context, caller: AccountCaller): Promise<void> {
  const organisation = await sql.findRequiringPersonal(ctx.db, caller.user.id);
  const obstacle = organisation === undefined ? null : await findObstacleOf(ctx, ctx.db, caller, organisation);
  if (obstacle !== null) throw obstacle;
}

export const listSignInRequirements = handle(contract.listSignInRequirements, async (ctx, { caller }) => {
  const requirements: Required = [];
  for (const organisation of await sql.listRequiring(ctx.db, caller.user.id)) {
    const obstacle = await findObstacleOf(ctx, ctx.db, caller, organisation);
    const { organisation_id: organisation_uid, slug, name, required_sign_in } = organisation;
    const message = obstacle?.message ?? null;
    requirements.push({ organisation_uid, slug, name, required_sign_in, met: obstacle === null, message });
  }
  return { requirements };
});

/** Whether an organisation that the person has access to requires a second factor. */
export async function needsSecondFactor(db: Db, userId: string): Promise<boolean> {
  const all = await sql.listRequiring(db, userId);
  return all.some(({ required_sign_in }) => required_sign_in === 'second_factor');
}

/** The people with access to the organisation, with what they have set up. */
export async function readSignIn(
  ctx: Context,
  organisation: { organisation_id: string; required_sign_in: SignInRequirement | null },
): Promise<OutputOf<typeof contract.getOrganisationSignIn>> {
  return {
    required_sign_in: organisation.required_sign_in,
    single_sign_on: nameOfSingleSignOn(ctx),
    people: await sql.listPeople(ctx.db, organisation.organisation_id),
  };
}

/**
 * The error that keeps the caller from requiring this: `invalid` if the operator has no single sign-on, and
 * `strongerSignInNeeded` if they have not signed in like that themselves, because they would lock themselves out.
 */
export async function findObstacleToRequiring(
  ctx: Context,
  db: Db,
  caller: AccountCaller,
  organisation: { organisation_id: string; name: string; slug: string | null },
  required: SignInRequirement,
): Promise<ApiError | null> {
  if (required === 'single_sign_on' && nameOfSingleSignOn(ctx) === null)
    return errors.invalid('required_sign_in: the operator of this service has not set up single sign-on.');
  return findObstacleOf(ctx, db, caller, { ...organisation, required_sign_in: required });
}

export type SignInCheck = {
  readonly organisation: { readonly uid: string; readonly name: string };
  readonly required: SignInRequirement;
  readonly proof: SignInProof;
  /** What the caller is: a person, or a program whose credential a person created. */
  readonly caller: 'person' | 'key' | 'connection' | 'token' | 'command';
  readonly publicUrl: string;
  /** The name of the single sign-on; null if the operator has turned it off. */
  readonly singleSignOn: string | null;
};

/** The error `strongerSignInNeeded`; null if the requirement is met. */
export function findSignInObstacle(check: SignInCheck): ApiError | null {
  const { organisation, required, proof } = check;
  if (meetsRequirement(required, proof)) return null;
  const what = required === 'second_factor' ? 'a second factor' : 'single sign-on';
  const { uid: organisation_uid, name } = organisation;
  return errors.strongerSignInNeeded(`${name} requires ${what}. ${describeRemedy(check)}`, {
    data: { organisation_uid, required_sign_in: required },
  });
}

/** How a program gets a credential of a newer session. */
const AGAIN: Readonly<Record<SignInCheck['caller'], string>> = {
  person: '',
  key: ', and create this personal key again',
  connection: ', and connect this agent again',
  token: ', and create this API token again',
  command: ', and run chauffeur login again',
};

function describeRemedy({ required, proof, caller, publicUrl, singleSignOn }: SignInCheck): string {
  const again = AGAIN[caller];
  if (required === 'single_sign_on') {
    if (singleSignOn === null) return 'The operator has turned it off: ask them to end this requirement.';
    return `Sign in with ${singleSignOn} at ${publicUrl}/sign-in${again}.`;
  }
  if (proof.hasSecondFactor)
    return `Sign in again with your authenticator app or passkey, at ${publicUrl}/sign-in${again}.`;
  const add = `Add an authenticator app or a passkey at ${publicUrl}/settings/security`;
  return meetsRequirement(required, { ...proof, hasSecondFactor: true })
    ? `${add}.`
    : `${add}, sign in with it${again}.`;
}
