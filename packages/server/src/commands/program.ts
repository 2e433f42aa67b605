// The commands of `chauffeur-server`: run the service, or perform one action as its operator.
import { VERSION } from '@chauffeur/contract/version';
import { Command } from 'commander';
import { addAdminCommands } from './admin.ts';
import { runBackup, runBlobsCopy, runRestore, runVerify } from './backup.ts';
import { runConfigCheck } from './check-config.ts';
import { runDistribute } from './distribute.ts';
import { failPlainly } from './fail.ts';
import { runMigrations } from './migrate.ts';
import { runRegroup } from './regroup.ts';
import { runService } from './service.ts';

/** Runs the command line. A command that fails prints a plain message and exits with code 1. */
export async function runProgram(): Promise<void> {
  const program = new Command('chauffeur-server')
    .description('Runs the Chauffeur server. Settings come from environment variables; see docs/config.md.')
    .version(VERSION, '-V, --version', 'print the version of the server')
    .showHelpAfterError()
    .configureHelp({ sortSubcommands: false });

  program
    .command('start', { isDefault: true })
    .description('run the API, the website and the workers in one process')
    .action(() => runService('start'));
  program
    .command('api')
    .description('run the API and the website only')
    .action(() => runService('api'));
  program
    .command('worker')
    .description('run the workers only')
    .action(() => runService('worker'));
  program
    .command('migrate')
    .description('migrate the database to the newest schema, then exit')
    .option('--check', 'only list what would run, which tables it blocks, and for how long', false)
    .option('--json', 'print one JSON object', false)
    .action(runMigrations);
  program
    .command('distribute')
    .description('distribute the large tables over the servers of a Citus cluster, even while the server is running')
    .option('--dry-run', 'only list what would be done', false)
    .option('--shards <count>', 'how many shards each table gets; no more servers than this can be used', '32')
    .option('--json', 'print one JSON object', false)
    .action(runDistribute);
  program
    .command('regroup')
    .description('group crash reports again after an update changed the grouping rules')
    .option('--game <uid>', 'uid or slug of the game; all games by default')
    .option('--no-wait', 'enqueue the work and exit without waiting')
    .option('--json', 'print one JSON object', false)
    .action(runRegroup);
  program
    .command('backup')
    .description('back up the database and the blobs while the server runs')
    .argument('<address>', 'a folder, or a bucket such as s3://backups/chauffeur?region=eu-central-1')
    .option('--keep <count>', 'keep only the newest backups there')
    .option('--json', 'print one JSON object', false)
    .action(runBackup);
  program
    .command('restore')
    .description('restore a backup into an empty installation')
    .argument('<address>', 'the folder or bucket of the backup')
    .option('--at <time>', 'restore the newest backup that began at this time or earlier')
    .option('--json', 'print one JSON object', false)
    .action(runRestore);
  program
    .command('verify')
    .description('check that all blobs, or a backup, are intact')
    .argument('[address]', 'the folder or bucket of a backup')
    .option('--at <time>', 'check the newest backup that began at this time or earlier')
    .option('--json', 'print one JSON object', false)
    .action(runVerify);
  program
    .command('blobs')
    .description('manage the blob store')
    .command('copy')
    .description('copy all blobs to another store, even while the server runs')
    .requiredOption('--from <address>', 'a folder, or a bucket such as s3://builds?region=eu-central-1')
    .requiredOption('--to <address>', 'a folder, or a bucket')
    .option('--json', 'print one JSON object', false)
    .action(runBlobsCopy);
  program
    .command('config')
    .description('check the settings')
    .command('check')
    .description('check all settings, connections and permissions, without changing anything')
    .option('--json', 'print one JSON object', false)
    .action(runConfigCheck);
  addAdminCommands(
    program.command('admin').description('manage accounts, games and deploy keys, even while the server is running'),
  );
  await program.parseAsync().catch(failPlainly);
}
