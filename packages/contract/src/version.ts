// The version of Chauffeur, which the server and the command share, and which versions of them work together.
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** The command sends it with every request: `chauffeur-cli/1.2.3`. */
export const CLI_USER_AGENT = `chauffeur-cli/${VERSION}`;

/** A response to the command has the version of the server in this header. */
export const VERSION_HEADER = 'x-chauffeur-version';

/** The version of the command that sent a request; undefined for other clients. */
export function cliVersionOf(userAgent: string | undefined): string | undefined {
  return /^chauffeur-cli\/(\d{1,9}\.\d{1,9}\.\d{1,9})\b/.exec(userAgent ?? '')?.[1];
}

/** Whether a command and a server of these versions work together: within a major version, they do. */
export function areCompatible(a: string, b: string): boolean {
  return partsOf(a)[0] === partsOf(b)[0];
}

/** Whether `version` is newer than `other`. Pre-releases count as their release. */
export function isNewer(version: string, other: string): boolean {
  const [a, b] = [partsOf(version), partsOf(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

function partsOf(version: string): number[] {
  return version.split('-', 1)[0]?.split('.').map(Number) ?? [];
}
