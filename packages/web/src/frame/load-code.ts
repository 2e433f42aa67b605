// Loads the code of a page or of a part of it. It waits while there is no connection or the server is away; after an
// update of the server, whose new version no longer has the code of this one, it reloads the site once.
import { onlineManager } from '@tanstack/react-query';
import { type ComponentType, type LazyExoticComponent, lazy, useSyncExternalStore } from 'react';
import { keepTyped } from './keep-typed.ts';

const RETRY_DELAYS_MS = [500, 2000, 5000];
/** The delay between attempts while the server is away, such as during an update. */
const AWAY_DELAY_MS = 2000;
const RELOADED = 'reloaded-from';

/** The code could not be loaded, although the server can be reached. */
export class MissingCodeError extends Error {}

let isNavigating = () => false;
/** This is also true while the visitor is at the sign-in page, which leads back. */
let isReloading = false;

/** Code that is loaded only because a link may be followed must not reload the site. */
export function setNavigation(check: () => boolean): void {
  isNavigating = check;
}

/** Whether the site is reloading automatically, in which case nothing typed is lost. */
export function isReloadingSite(): boolean {
  return isReloading;
}

/**
 * A part of a page whose code is loaded when it is shown, which someone is waiting for. `load` imports the component.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadCode(load, () => true) }));
}

/** `load` imports the code. Rejects with MissingCodeError. */
export async function loadCode<Module>(load: () => Promise<Module>, isAwaited = isNavigating): Promise<Module> {
  for (let attempt = 0; ; ) {
    try {
      await reloadStyles();
      const module = await load();
      await reloadStyles();
      return module;
    } catch (error) {
      if (!isAwaited()) throw new MissingCodeError('The code of the page was not loaded in advance', { cause: error });
      const state = await checkServer();
      if (state === 'updated') return reloadOnce(error);
      if (state === 'away') {
        await untilBack();
        continue;
      }
      const delay = RETRY_DELAYS_MS[attempt];
      if (delay === undefined) return reloadOnce(error);
      attempt += 1;
      await wait(delay);
    }
  }
}

/** Style sheets of pages that could not be loaded. */
const failedStyles = new Set<HTMLLinkElement>();
addEventListener(
  'error',
  ({ target }) => target instanceof HTMLLinkElement && target.rel === 'stylesheet' && failedStyles.add(target),
  { capture: true },
);

/** The bundler's own loader considers a style sheet loaded once it has tried. Rejects if one fails again. */
async function reloadStyles(): Promise<void> {
  await Promise.all(
    [...failedStyles].map(
      (link) =>
        new Promise<void>((resolve, reject) => {
          const again = link.cloneNode() as HTMLLinkElement;
          again.onload = () => resolve();
          again.onerror = () => reject(new Error(`${link.href} could not be loaded`));
          failedStyles.delete(link);
          link.replaceWith(again);
        }),
    ),
  );
}

/** The server has the script that started this page until it is updated. */
async function checkServer(): Promise<'same' | 'updated' | 'away'> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src;
  if (script === undefined) return 'same';
  try {
    const { status } = await fetch(script, { method: 'HEAD', cache: 'no-store' });
    if (status === 404) return 'updated';
    // Proxies respond with such a status while the server restarts.
    return status >= 500 ? 'away' : 'same';
  } catch {
    return 'away';
  }
}

let waiting = 0;
const listeners = new Set<() => void>();

/** Whether the code of a page waits for the server, which visitors should know. */
export function useIsServerAwaited(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => waiting > 0,
  );
}

function changeWaiting(by: 1 | -1): void {
  waiting += by;
  for (const listener of listeners) listener();
}

/** Waits until the browser is online or, if it already is, for a moment. */
async function untilBack(): Promise<void> {
  changeWaiting(1);
  try {
    await (onlineManager.isOnline() ? wait(AWAY_DELAY_MS) : untilOnline());
  } finally {
    changeWaiting(-1);
  }
}

async function untilOnline(): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      stop();
      resolve();
    });
  });
}

/** Keeps what was typed while another page of the site is open for a moment. */
export function keepForReturn(): void {
  keepTyped();
  isReloading = true;
}

/** Never resolves, because the document is about to be replaced. Rejects if this page was already reloaded in vain. */
function reloadOnce(cause: unknown): Promise<never> {
  const page = `${document.querySelector<HTMLScriptElement>('script[type="module"][src]')?.src} ${location.href}`;
  if (sessionStorage.getItem(RELOADED) === page)
    return Promise.reject(new MissingCodeError('The code of the page is missing', { cause }));
  sessionStorage.setItem(RELOADED, page);
  keepForReturn();
  location.reload();
  return new Promise(() => undefined);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
