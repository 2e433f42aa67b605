// `admin organisation …`: lets the operator list organisations, make someone an owner when the only one has left, and end
// a requirement that keeps everyone out.
import type { Command } from 'commander';
import { type Db, transact } from '../kernel/database/db.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import {
  findOrganisation,
  listAllOrganisations,
  setMemberRoleWithin,
} from '../people/organisations/organisations.sql.ts';
import { lockOrganisation, setRequiredSignInWithin } from '../people/organisations/organisations.ts';
import { auditChanges } from '../request/audit.ts';
import { UsageError } from './fail.ts';
import { withApp } from './open-parts.ts';
import { perform } from './perform.ts';

export function addOrganisationCommands(admin: Command): void {
  const organisation = admin.command('organisation').description('manage organisations, which own games');
  organisation
    .command('list')
    .description('list the organisations with their owners')
    .option('--json', 'print a JSON array', false)
    .action(listCommand);
  organisation
    .command('owner')
    .description('make an account an owner of an organisation')
    .requiredOption('--organisation <uid>', 'uid or slug of the organisation')
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--json', 'print one JSON object', false)
    .action(ownerCommand);
  organisation
    .command('allow-any-sign-in')
    .description('stop requiring a second factor or single sign-on of its members')
    .requiredOption('--organisation <uid>', 'uid or slug of the organisation')
    .option('--json', 'print one JSON object', false)
    .action(allowAnySignInCommand);
}

async function listCommand({ json }: { json: boolean }): Promise<void> {
  await withApp({ quiet: true }, async ({ ctx }) => {
    const all = await listAllOrganisations(ctx.db);
    const lines = all.map(({ organisation_uid: uid, slug, name, games, owners }) =>
      [uid, slug ?? '-', `games=${games}`, owners.join(',') || 'no owner', name].join('  '),
    );
    process.stdout.write(json ? `${JSON.stringify(all)}\n` : lines.map((line) => `${line}\n`).join(''));
  });
}

type OwnerOptions = { organisation: string; email: string; json: boolean };

async function ownerCommand({ organisation: ref, email, json }: OwnerOptions): Promise<void> {
  await perform('admin.organisationOwner', json, async ({ ctx }) => {
    const { organisation_id: uid } = await requireOrganisation(ctx.db, ref);
    const user = await findUser(ctx.db, email);
    if (user === null) throw new UsageError('--email: there is no account with this email. Create it first.');
    await transact(ctx.db, async (tx) => {
      await lockOrganisation(tx, uid);
      await setMemberRoleWithin(tx, uid, user.id, 'owner');
    });
    auditChanges({}, { organisation: uid, account: { id: user.id, name: user.name }, role: 'owner' });
    return { organisation_uid: uid, user_id: user.id, email, role: 'owner' };
  });
}

async function allowAnySignInCommand({ organisation: ref, json }: Omit<OwnerOptions, 'email'>): Promise<void> {
  await perform('admin.organisationAllowAnySignIn', json, async ({ ctx }) => {
    const { organisation_id: uid } = await requireOrganisation(ctx.db, ref);
    const before = await transact(ctx.db, async (tx) => {
      const locked = await lockOrganisation(tx, uid);
      await setRequiredSignInWithin(tx, locked, null);
      return locked.required_sign_in;
    });
    auditChanges({}, { organisation: uid });
    return { organisation_uid: uid, required_before: before ?? 'nothing' };
  });
}

async function requireOrganisation(db: Db, ref: string) {
  const organisation = await findOrganisation(db, ref);
  if (organisation === undefined)
    throw new UsageError('--organisation: there is no organisation with this uid or slug.');
  return organisation;
}
