// `chauffeur addchangelog`: adds an entry to the changelog of build.yml.
import { Command } from 'commander';
import { parseBuildFile, readBuildFile, withChangelogEntry } from '../descriptors/build-file.ts';
import { readIfPresent, writeText } from '../descriptors/yml.ts';
import type { Act, Handler } from '../program.ts';

type Options = { title: string; description: string; asset: string };

export function addchangelogCommand(act: Act): Command {
  return new Command('addchangelog')
    .description('add an entry to the changelog of build.yml')
    .requiredOption('--title <title>', 'what changed, in a few words')
    .requiredOption('--description <text>', 'what changed, in full')
    .option('--asset <file>', 'the file to add to', 'build.yml')
    .addHelpText(
      'after',
      '\nExample:\n  $ chauffeur addchangelog --title "Boss fight" --description "The dragon wakes."',
    )
    .action(act(addchangelog));
}

const addchangelog: Handler<Options> = async (_, { title, description, asset: file }) => {
  const before = await readBuildFile(file);
  const text = withChangelogEntry((await readIfPresent(file)) ?? '', before, { title, description });
  const { changelog } = parseBuildFile(file, text);
  await writeText(file, text);
  return { data: { file, changelog }, lines: [`Added "${title}"; entries in the changelog: ${changelog.length}.`] };
};
