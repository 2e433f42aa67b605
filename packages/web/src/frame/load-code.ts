// Loads the code of a page. Without a connection it waits for one; after an update of the server, whose new version no
// longer has the code of this one, it reloads the site once.
import { onlineManager } from '@tanstack/react-query';
import { keepTyped } from './keep-typed.ts';

const RETRY_DELAYS_MS = [500, 2000, 5000];
const RELOADED = 'reloaded-from';

/** The code could not be loaded, although the server can be reached. */
export class MissingCodeError extends Error {}

let isNavigating = () => false;
let isReloading = false;

/** Code that is only loaded in case that a link is followed must not reload the site. */
export function setNavigation(check: () => boolean): void {
  isNavigating = check;
}

/** Whether the site is being reloaded by itself, in which case nothing typed is lost. */
export function isReloadingSite(): boolean {
  return isReloading;
}

/** `load` imports the code. Rejects with MissingCodeError. */
export async function loadCode<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      if (!isNavigating())
        throw new MissingCodeError('The code of the page was not loaded in advance', { cause: error });
      const state = await checkServer();
      if (state === 'unreachable') await untilOnline();
      const delay = RETRY_DELAYS_MS[attempt];
      if (state === 'updated' || delay === undefined) return reloadOnce(error);
      await wait(delay);
    }
  }
}

/** The server has the script that started this page until it is updated. */
async function checkServer(): Promise<'same' | 'updated' | 'unreachable'> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src;
  if (script === undefined) return 'same';
  try {
    const { status } = await fetch(script, { method: 'HEAD', cache: 'no-store' });
    return status === 404 ? 'updated' : 'same';
  } catch {
    return 'unreachable';
  }
}

async function untilOnline(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (onlineManager.isOnline()) return resolve();
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      stop();
      resolve();
    });
  });
}

/** Never resolves, because the document is about to be replaced. Rejects if this page was already reloaded in vain. */
function reloadOnce(cause: unknown): Promise<never> {
  const page = `${document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src} ${location.href}`;
  if (sessionStorage.getItem(RELOADED) === page)
    return Promise.reject(new MissingCodeError('The code of the page is missing', { cause }));
  sessionStorage.setItem(RELOADED, page);
  keepTyped();
  isReloading = true;
  location.reload();
  return new Promise(() => undefined);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
