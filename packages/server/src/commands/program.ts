// The commands of `chauffeur-server`: run the service, or do one thing to it as its operator.
import { Command } from 'commander';
import { addAdminCommands } from './admin.ts';
import { failPlainly } from './fail.ts';
import { runMigrations } from './migrate.ts';
import { runRegroup } from './regroup.ts';
import { runService } from './service.ts';

/** Does what the command line asks for; what cannot be done is told in a plain message and exit code 1. */
export async function runProgram(): Promise<void> {
  const program = new Command('chauffeur-server')
    .description(
      'Runs Chauffeur, the service that ships builds of games. Settings come from the environment: see docs/config.md.',
    )
    .showHelpAfterError()
    .configureHelp({ sortSubcommands: false });

  program
    .command('start', { isDefault: true })
    .description('API, website and workers in one process')
    .action(() => runService('start'));
  program
    .command('api')
    .description('API and website only')
    .action(() => runService('api'));
  program
    .command('worker')
    .description('workers only')
    .action(() => runService('worker'));
  program.command('migrate').description('bring the database to the newest schema and end').action(runMigrations);
  program
    .command('regroup')
    .description('group crash reports again, after a new version groups them by other rules')
    .option('--game <uid>', 'uid or slug of the game; all games where absent')
    .option('--no-wait', 'ask for it and end at once')
    .option('--json', 'answer one JSON object', false)
    .action(runRegroup);
  addAdminCommands(program.command('admin').description('what an operator does by hand; works while the server runs'));
  await program.parseAsync().catch(failPlainly);
}
