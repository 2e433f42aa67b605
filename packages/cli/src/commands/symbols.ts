// `chauffeur symbols`: converts what a build left behind, and uploads the symbols that the service does not have yet.
import type { Client } from '@chauffeur/contract/client';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { checkBuildId } from '../descriptors/files-file.ts';
import { LocalError } from '../failures.ts';
import { dataOf, describeSent, pipedRows, tableOfModules } from '../symbols/describe-symbols.ts';
import { type Destination, findSymbols, sendSymbols } from '../symbols/send-symbols.ts';
import { withTempFolder } from '../zip/zip.ts';
import { type Act, type Action, withExample } from './command.ts';

export function symbolsCommand(command: Command, act: Act): Command {
  return withExample(command, 'symbols --build-id "$SERVICE_GAMES_BUILD_ID" build')
    .argument(
      '<path...>',
      'folders, programs, debug files (PDB, dSYM, DWARF), .sym files, scripts with source maps, mappings, or archives',
    )
    .option('--build-id <id>', 'id of the build, as printed by chauffeur build')
    .option('--inject', 'give scripts and source maps debug ids, which changes the files')
    .option('--dry-run', 'show what would be uploaded, without sending it')
    .option('--tmp <folder>', "folder for temporary files (default: the system's temporary folder)")
    .action(act(symbols));
}

type Options = { buildId?: string; inject?: true; dryRun?: true; tmp?: string };

const symbols: Action<Options> = async (context, { buildId, inject = false, dryRun = false, tmp }, ...rest) => {
  const paths = rest.flat();
  if (buildId === undefined && !dryRun)
    throw new LocalError("Required option '--build-id <id>' not specified.", 'Use the id that chauffeur build prints.');
  if (inject && dryRun)
    throw new LocalError('--inject changes files, and --dry-run changes nothing.', 'Use one of them.');
  if (buildId !== undefined) checkBuildId(buildId);
  return withTempFolder(tmp, async (temp) => {
    const found = await findSymbols(paths, temp, context);
    const client = dryRun ? await connectIfPossible(buildId, context) : await context.connect();
    const to: Destination = client === null || buildId === undefined ? null : { client, buildId, isDryRun: dryRun };
    const sent = await sendSymbols(found, to, context, { injects: inject });
    return {
      data: { ...(dryRun && { dry_run: true }), ...dataOf(sent) },
      lines: [...tableOfModules(sent.modules), '', describeSent(sent, dryRun)],
      piped: dryRun ? tableOfModules(sent.modules) : pipedRows(sent),
    };
  });
};

/** Without credentials, nothing is known about what the service has. */
async function connectIfPossible(buildId: string | undefined, context: Context): Promise<Client | null> {
  if (buildId === undefined) return null;
  try {
    return await context.connect();
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    context.output.note(`note: ${error.message} Which symbols the service already has was not checked.`);
    return null;
  }
}
