// `admin user list|password|delete`: lets the operator find accounts, set a password that was lost, and delete accounts.
import { LIMITS } from '@chauffeur/contract/limits';
import type { Command } from 'commander';
import type { Context, User } from '../context.ts';
import { findUsers } from '../operate/operator/operator.ts';
import { findUser } from '../people/accounts/accounts.sql.ts';
import { createResetLink, deleteAccount, setPasswordHash } from '../people/accounts/operator-changes.ts';
import { auditChange, auditChanges } from '../request/audit.ts';
import { endAccessOf } from '../team/credentials/credentials.ts';
import { leaveAllOrganisations } from '../team/organisation-members/organisation-members.ts';
import { listGamesOfOnlyOwner } from '../team/organisation-members/ownership.sql.ts';
import { UsageError } from './fail.ts';
import { withApp } from './open-parts.ts';
import { formatPage, type PageOptions, parsePage } from './pages.ts';
import { perform } from './perform.ts';
import { confirm, readPassword } from './read-line.ts';

export function addUserCommands(user: Command): void {
  user
    .command('list')
    .description('list the accounts, newest first')
    .option('--search <text>', 'only accounts whose name or email contains this')
    .option('--disabled', 'only disabled accounts', false)
    .option('--limit <count>', 'how many to list, up to 1000', '50')
    .option('--cursor <cursor>', 'the cursor that the previous page printed')
    .option('--json', 'print one JSON object', false)
    .action(listCommand);
  user
    .command('password')
    .description('set the password of an account and end its sessions, or print a link to set it')
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--password-stdin', 'read the new password, one line, from standard input', false)
    .option('--link', 'print a link, valid for an hour, with which the person sets a password', false)
    .option('--json', 'print one JSON object', false)
    .action(passwordCommand);
  user
    .command('delete')
    .description('delete an account, unless games would be left without an owner')
    .requiredOption('--email <email>', 'the email address of the account')
    .option('--yes', 'skip the confirmation; a deleted account cannot be restored', false)
    .option('--json', 'print one JSON object', false)
    .action(deleteCommand);
}

type ListOptions = PageOptions & { search?: string; disabled: boolean; json: boolean };

async function listCommand({ search, disabled, json, ...page }: ListOptions): Promise<void> {
  const place = parsePage(page);
  await withApp({ quiet: true }, async ({ ctx }) => {
    const { users, next_cursor } = await findUsers(ctx, {
      ...place,
      disabled,
      ...(search !== undefined && { search }),
    });
    const rows = users.map((user) => [
      user.email,
      user.name,
      [
        user.verified ? 'verified' : 'not verified',
        ...(user.operator ? ['operator'] : []),
        ...(user.disabled_at === null ? [] : ['disabled']),
        `games=${user.games}`,
        `sessions=${user.sessions}`,
      ].join(' '),
      user.created_at.slice(0, 10),
    ]);
    process.stdout.write(json ? `${JSON.stringify({ users, next_cursor })}\n` : formatPage(rows, next_cursor));
  });
}

type PasswordOptions = { email: string; passwordStdin: boolean; link: boolean; json: boolean };

async function passwordCommand({ email, passwordStdin, link, json }: PasswordOptions): Promise<void> {
  if (passwordStdin === link) throw new UsageError('Use either --password-stdin or --link.');
  if (link) {
    await perform('admin.userPasswordLink', json, async ({ ctx, auth }) => {
      const { id, name } = await requireUser(ctx, email);
      const created = await createResetLink(ctx, auth, id);
      auditChanges({}, { account: { id, name }, link: true });
      return { user_id: id, email, link: created.url, expires_at: created.expiresAt.toISOString() };
    });
    return;
  }
  const password = await readPassword();
  if (password.length > LIMITS.passwordLength)
    throw new UsageError(`The password on standard input is longer than ${LIMITS.passwordLength} characters.`);
  await perform('admin.userPassword', json, async ({ ctx, auth }) => {
    const user = await requireUser(ctx, email);
    const { id, name } = user;
    await setPasswordHash(auth, id, password);
    const revoked = await endAccessOf(ctx, user);
    auditChanges({}, { account: { id, name }, revoked });
    return { user_id: id, email, ...revoked };
  });
}

async function deleteCommand({ email, yes, json }: { email: string; yes: boolean; json: boolean }): Promise<void> {
  await perform('admin.userDelete', json, async ({ ctx }) => {
    const { id, name } = await requireUser(ctx, email);
    const owned = await listGamesOfOnlyOwner(ctx.db, id);
    if (owned.length > 0) throw ownsGames(owned.map(({ slug }) => slug));
    const question = `This deletes the account of ${name} (${email}) permanently, with its keys and memberships.`;
    await confirm(question, email, yes);
    // Games that were created since the list was read.
    const refuse = () => ownsGames([]);
    await deleteAccount(ctx, id, { leave: () => leaveAllOrganisations(ctx, id), refuse });
    auditChange('account', { id, name }, null);
    return { user_id: id, email, deleted: true };
  });
}

const MAX_NAMED = 10;

function ownsGames(slugs: readonly string[]): UsageError {
  const more = slugs.length > MAX_NAMED ? ` and ${slugs.length - MAX_NAMED} more` : '';
  const named = slugs.length === 0 ? '' : `: ${slugs.slice(0, MAX_NAMED).join(', ')}${more}`;
  return new UsageError(
    `This account owns games that no one else owns${named}. Transfer each first: chauffeur-server admin game transfer --game <slug> --to <email>. Or make someone else an owner: chauffeur-server admin organisation owner.`,
  );
}

async function requireUser(ctx: Context, email: string): Promise<User> {
  const user = await findUser(ctx.db, email);
  if (user === null) throw new UsageError('--email: there is no account with this email.');
  return user;
}
