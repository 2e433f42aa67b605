// Opens a page in the user's browser, if there is one.
// cspell:ignore rundll
import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;
type Command = { readonly file: string; readonly args: readonly string[] };

/** The program that opens a URL on this system, without a shell; null without a desktop. */
export function openerOf(url: string, env: Environment, platform: NodeJS.Platform): Command | null {
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] };
  if (platform === 'darwin') return { file: 'open', args: [url] };
  // A browser on the other side of an SSH connection would open where the user cannot see it.
  const hasDesktop = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY) && !env.SSH_CONNECTION;
  return hasDesktop ? { file: 'xdg-open', args: [url] } : null;
}

/** Returns whether a browser was asked to open the page. Its failure is ignored, because the user also sees the URL. */
export function openInBrowser(url: string, env: Environment): boolean {
  const opener = openerOf(url, env, process.platform);
  if (opener === null) return false;
  spawn(opener.file, opener.args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
  return true;
}
