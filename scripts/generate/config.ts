// Writes docs/config.md: every setting of the server with its default and meaning.
import { SETTINGS } from '../../packages/server/src/config.ts';
import { code, notice, page, table } from './markdown.ts';

const INTRODUCTION = `The server is configured by environment variables, all of which are optional. By default, it stores everything in \`./data\` and listens on
\`http://127.0.0.1:4000\`. An empty variable is treated as not set. If a value is invalid, the server does not start, and its message
lists every invalid variable and how to fix it.

Switches are \`1\` or \`0\`. Sizes are in bytes. The \`chauffeur\` command has its own variables: see
[The chauffeur command](cli.md).`;

const OTHER_VARIABLES = `With \`CHAUFFEUR_BLOBS\`, the AWS SDK finds its credentials in the usual places: \`AWS_ACCESS_KEY_ID\` and
\`AWS_SECRET_ACCESS_KEY\`, a profile, or the machine's role.

With \`OTEL_EXPORTER_OTLP_ENDPOINT\`, the other [variables of
OpenTelemetry](https://opentelemetry.io/docs/specs/otel/protocol/exporter/) for OTLP work as well, such as
\`OTEL_EXPORTER_OTLP_HEADERS\` for a token of the collector, and \`OTEL_SERVICE_NAME\`, which is \`chauffeur\` by default.`;

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
