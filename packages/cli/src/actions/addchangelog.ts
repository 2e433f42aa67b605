// `chauffeur addchangelog`: adds an entry to the changelog in build.yml.
import { parseBuildFile, readBuildFile, withChangelogEntry } from '../descriptors/build-file.ts';
import { readIfPresent, writeText } from '../descriptors/yml.ts';
import type { Action } from './action.ts';

type Options = { title: string; description: string; asset: string };

export const addchangelog: Action<Options> = async (_, { title, description, asset: file }) => {
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
