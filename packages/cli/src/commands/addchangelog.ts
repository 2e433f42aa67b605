// `chauffeur addchangelog`: adds an entry to the changelog in build.yml.
import type { Command } from 'commander';
import { parseBuildFile, readBuildFile, withChangelogEntry } from '../descriptors/build-file.ts';
import { readIfPresent, writeText } from '../descriptors/yml.ts';
import { type Act, type Action, withExample } from './command.ts';

export function addchangelogCommand(command: Command, act: Act): Command {
  return withExample(command, 'addchangelog --title "Boss fight" --description "The dragon wakes."')
    .requiredOption('--title <title>', 'short summary of the change')
    .requiredOption('--description <text>', 'full description of the change')
    .option('--asset <file>', 'build file to edit', 'build.yml')
    .action(act(addchangelog));
}

type Options = { title: string; description: string; asset: string };

const addchangelog: Action<Options> = async (_, { title, description, asset: file }) => {
  const before = await readBuildFile(file);
  const text = withChangelogEntry((await readIfPresent(file)) ?? '', before, { title, description });
  const { changelog } = parseBuildFile(file, text);
  await writeText(file, text);
  const added =
    changelog.length === 1
      ? `Added "${title}". The changelog has 1 entry.`
      : `Added "${title}". The changelog has ${changelog.length} entries.`;
  return { data: { file, changelog }, lines: [added] };
};
