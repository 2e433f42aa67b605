// `admin organisation …`: lets the operator list organisations, and make someone an owner when the only one has left.
import type { Command } from 'commander';
import { findUser } from '../features/accounts/accounts.ts';
import {
  findOrganisation,
  listAllOrganisations,
  lockOrganisation,
  setMemberRoleWithin,
} from '../features/organisations/organisations.ts';
import { transact } from '../kernel/database/db.ts';
import { recordChanges } from '../request/audit.ts';
import { UsageError } from './fail.ts';
import { perform } from './perform.ts';
import { withApp } from './with-app.ts';

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
    const organisation = await findOrganisation(ctx.db, ref);
    if (organisation === undefined)
      throw new UsageError('--organisation: there is no organisation with this uid or slug.');
    const user = await findUser(ctx, email);
    if (user === null) throw new UsageError('--email: there is no account with this email. Create it first.');
    const { organisation_id: uid } = organisation;
    await transact(ctx.db, async (tx) => {
      await lockOrganisation(tx, uid);
      await setMemberRoleWithin(tx, uid, user.id, 'owner');
    });
    recordChanges({}, { organisation: uid, account: { id: user.id, name: user.name }, role: 'owner' });
    return { organisation_uid: uid, user_id: user.id, email, role: 'owner' };
  });
}
