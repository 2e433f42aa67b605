// Writes docs/config.md: every setting of the server, its default and what it is for.
import { SETTINGS } from '../../packages/server/src/config.ts';
import { code, notice, page, table } from './markdown.ts';

const INTRODUCTION = `The server is configured by environment variables and needs none of them: without any, it keeps everything in \`./data\` and listens
on \`http://127.0.0.1:4000\`. An empty variable counts as absent. A value that cannot be used stops the start, and the message names
every such variable with its remedy.

Switches take \`1\` or \`0\`. Sizes are in bytes. The \`chauffeur\` command of developers has variables of its own.`;

const OTHER_VARIABLES = `With \`CHAUFFEUR_BLOBS\`, the AWS SDK takes its credentials from where it always does: \`AWS_ACCESS_KEY_ID\` and
\`AWS_SECRET_ACCESS_KEY\`, a profile, or the machine's role.`;

export function writeConfig(): string {
  const rows = Object.values(SETTINGS).map(({ variable, fallback, doc }) => [
    code(variable),
    fallback === undefined ? 'none' : code(fallback),
    doc,
  ]);
  return page(
    notice('packages/server/src/config.ts'),
    '# Settings of the server',
    INTRODUCTION,
    table(['Variable', 'Default', 'Meaning'], rows),
    OTHER_VARIABLES,
  );
}
