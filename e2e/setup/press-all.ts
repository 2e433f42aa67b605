// Uses every control of an open page, including those of the dialogs and sections that it opens, and reports which
// changes the page would send. The changes are not made: the browser is sent an error instead.

import type { Operation } from '@chauffeur/contract/operation';
import { OPERATIONS } from '@chauffeur/contract/operations/all';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { untilDrawn } from './visit.ts';

const API = '/api/v1';
/** More than any page has. */
const MAX_PRESSES = 400;

const PATTERNS = (OPERATIONS as readonly Operation[]).map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation that a request calls; undefined if it calls none. */
export function operationOf(method: string, url: string): Operation | undefined {
  const { pathname } = new URL(url);
  if (!pathname.startsWith(`${API}/`)) return undefined;
  const path = pathname.slice(API.length);
  const matches = PATTERNS.filter(({ operation, pattern }) => operation.method === method && pattern.test(path));
  // `/builds/compare` is not the build "compare".
  const variables = ({ operation }: { operation: Operation }) => operation.path.split('{').length;
  return matches.toSorted((a, b) => variables(a) - variables(b))[0]?.operation;
}

/** Pages of the context can't change anything from now on. What they would have called is reported. */
export async function holdChanges(context: BrowserContext, report: (operation: Operation) => void): Promise<void> {
  await context.exposeFunction('reportChange', (method: string, url: string) => {
    const operation = operationOf(method, url);
    if (operation !== undefined) report(operation);
  });
  await context.addInitScript(() => {
    const page = globalThis as typeof globalThis & { reportChange(method: string, url: string): Promise<void> };
    const { fetch } = page;
    const body = JSON.stringify({ success: false, error: { code: 4002, message: 'The test holds all changes.' } });
    page.fetch = async (input, init) => {
      const { method, url } = new Request(input, init);
      if (method === 'GET') return fetch(input, init);
      await page.reportChange(method, url);
      return new Response(body, { status: 400, headers: { 'content-type': 'application/json' } });
    };
  });
}

/** Presses every control once. `open` loads the page again after a control led to another one. */
export async function pressAll(page: Page, open: () => Promise<void>): Promise<void> {
  const loads = countLoads(page);
  const pressed = new Set<string>();
  let isFresh = false;
  const openAgain = async () => {
    await open();
    await settle(page, loads);
  };
  await settle(page, loads);
  while (pressed.size < MAX_PRESSES) {
    const address = new URL(page.url()).pathname;
    let key = await page.evaluate(pressNext, [...pressed]);
    await settle(page, loads);
    if (key === null) {
      // A dialog whose code was being loaded may be open by now.
      await page.evaluate(drawFrames);
      await settle(page, loads);
      key = await page.evaluate(pressNext, [...pressed]);
      await settle(page, loads);
    }
    if (key !== null) {
      pressed.add(key);
      isFresh = false;
    } else if (isFresh) return loads.stop();
    else {
      // Some controls exist only in the state in which the page is opened.
      isFresh = true;
      await openAgain();
    }
    if (new URL(page.url()).pathname !== address) await openAgain();
  }
  throw new Error(`more than ${MAX_PRESSES} controls: ${[...pressed].join(', ')}`);
}

/** What pages load when they need it: code and data. */
const LOADED: readonly string[] = ['script', 'fetch'];

/** Counts what the page is loading. The stream of changes never ends. */
function countLoads(page: Page) {
  const open = new Set<Request>();
  const note = (request: Request) => {
    if (LOADED.includes(request.resourceType()) && !request.url().endsWith('/changes')) open.add(request);
  };
  const forget = (request: Request) => open.delete(request);
  page.on('request', note).on('requestfinished', forget).on('requestfailed', forget);
  return {
    /** Whether the open page has requests under way. A page that was left cancels its requests. */
    get isLoading() {
      return [...open].some((request) => request.frame() === page.mainFrame());
    },
    stop() {
      page.off('request', note).off('requestfinished', forget).off('requestfailed', forget);
    },
  };
}

/** Waits until the page has loaded and drawn what the last press led to. */
async function settle(page: Page, loads: { readonly isLoading: boolean }): Promise<void> {
  do
    await untilDrawn(page).catch((error: Error) => {
      // The press led to another page.
      if (!/Execution context was destroyed/.test(error.message)) throw error;
    });
  while (loads.isLoading);
}

/** Runs in the browser: returns after about a third of a second, or later if the page is busy. */
async function drawFrames(): Promise<void> {
  for (let frame = 0; frame < 20; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * Runs in the browser. Presses the first control that was not pressed yet, and returns its name; null if there is none.
 */
async function pressNext(pressed: string[]): Promise<string | null> {
  const TEXTS = ['x', 'an owl', 'owner/project', '#1', '12:30', 'https://example.com/x', 'owl@example.com', '{title}'];
  // They are on every page.
  const FRAME = /Switch game$|^Keyboard shortcuts$/;
  const dialogs = [...document.querySelectorAll<HTMLElement>('[role="dialog"], dialog[open]')].filter((each) =>
    each.checkVisibility(),
  );
  const root = dialogs.at(-1) ?? document.querySelector('main') ?? document.body;
  const title = root.matches('[role="dialog"], dialog') ? (root.querySelector('h2')?.textContent ?? 'dialog') : 'page';
  const isEnabled = (each: Element) =>
    each.checkVisibility() && !each.matches(':disabled') && !FRAME.test(each.getAttribute('aria-label') ?? '');

  const setValue = (field: HTMLElement, value: string, event: string) => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event(event, { bubbles: true }));
  };
  let isChanged = false;
  for (const field of root.querySelectorAll<HTMLInputElement>('input, textarea')) {
    if (!isEnabled(field) || ['checkbox', 'radio', 'file', 'search', 'submit'].includes(field.type)) continue;
    for (const text of TEXTS) {
      if (field.value !== '' && field.checkValidity()) break;
      setValue(field, text, 'input');
      isChanged = true;
    }
  }
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  if (isChanged) await drawn();

  const names = (control: Element) => {
    const label = (control as HTMLInputElement).labels?.[0]?.textContent;
    const text = control.getAttribute('aria-label') ?? label ?? control.textContent ?? '';
    return `${title}: ${control.tagName.toLowerCase()} ${text.replace(/\d+/g, '0').trim().slice(0, 60)}`;
  };
  const controls = [
    ...root.querySelectorAll('button, select, summary, input[type="checkbox"], input[type="radio"]'),
  ].filter(isEnabled);
  const closes = (control: Element) =>
    control.matches('button') &&
    /^(Cancel|Close)?$/.test(control.getAttribute('aria-label') ?? control.textContent ?? '');
  const next = controls.find((control) => !closes(control) && !pressed.includes(names(control)));
  // A dialog is left once everything in it was pressed.
  const control = next ?? (title === 'page' ? undefined : controls.find(closes));
  if (control === undefined) return null;
  const name = names(control);
  if (control instanceof HTMLSelectElement) {
    const other = [...control.options].find((option) => !option.selected && option.value !== '' && !option.disabled);
    if (other !== undefined) setValue(control, other.value, 'change');
  } else (control as HTMLElement).click();
  await drawn();
  return next === undefined ? `${name} ${pressed.length}` : name;
}
