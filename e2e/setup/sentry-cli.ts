// Runs the real sentry-cli, from its package for Linux.
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';

export const NO_SENTRY_CLI = 'skipped: sentry-cli not found';

/** The path of the program; undefined on other systems. With CI=true, throws if it isn't installed. */
export async function findSentryCli(): Promise<string | undefined> {
  try {
    const path = createRequire(import.meta.url).resolve('@sentry/cli-linux-x64/bin/sentry-cli');
    await access(path);
    return path;
  } catch (cause) {
    if (process.env.CI === 'true') throw new Error('@sentry/cli-linux-x64 not found; run npm ci', { cause });
    return undefined;
  }
}

export type SentryCliResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** `env` are the settings, such as SENTRY_URL. Those of the machine are not read. */
export function runSentryCli(
  path: string,
  args: readonly string[],
  { env, folder }: { env: Readonly<Record<string, string>>; folder: string },
): Promise<SentryCliResult> {
  const settings = { HOME: folder, PATH: process.env.PATH, SENTRY_LOAD_DOTENV: '0', SENTRY_LOG_LEVEL: 'warn', ...env };
  return new Promise((resolve) =>
    execFile(path, args, { env: settings, cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    ),
  );
}
