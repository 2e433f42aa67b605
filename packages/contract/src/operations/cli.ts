// The `chauffeur` command that a server hands out.
import Type from 'typebox';
import { defineOperation } from '../operation.ts';

/** What the command is built for. `npm` is a package that any Node from version 22 on can run. */
const CliPlatform = Type.Enum(['npm', 'linux-x64', 'linux-arm64', 'macos-arm64', 'macos-x64', 'windows-x64']);

const CliFile = Type.Object({
  platform: CliPlatform,
  name: Type.String({ description: 'Name of the file below /cli/; a program is compressed with gzip' }),
  size: Type.Integer({ description: 'In bytes' }),
  sha256: Type.String(),
});

/** `command.json` of a release. */
export const CliRelease = Type.Object({ version: Type.String(), files: Type.Array(CliFile) });

export const getCli = defineOperation({
  id: 'cli.get',
  summary: 'Get the version of the chauffeur command that this server offers, how to install it, and its files',
  method: 'GET',
  path: '/public/cli',
  access: 'public',
  output: Type.Object({
    version: Type.String(),
    install: Type.Object(
      { sh: Type.String(), powershell: Type.String(), npm: Type.String() },
      { description: 'Lines to paste into a terminal: on Linux and macOS, on Windows, and where Node is installed' },
    ),
    files: Type.Array(
      Type.Object({ ...CliFile.properties, url: Type.String() }, { description: 'npm first, then programs' }),
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
});
