// Parts of a page that its scripts write: texts in the language of the page, times, and what the server writes for
// another address, such as the entries of a zip while the visitor types, and the next games in a list.
import type { Platform } from '@chauffeur/contract/identity';
import { type BrowserFacts, chooseDownload, readMachine } from '@chauffeur/contract/machine';

const PAUSE_MS = 150;

/** The document at an address of this site; null if it can't be loaded. */
async function load(address: string, signal?: AbortSignal): Promise<Document | null> {
  const response = await fetch(address, signal === undefined ? {} : { signal }).catch(() => null);
  if (response?.ok !== true) return null;
  const text = await response.text().catch(() => null);
  return text === null ? null : new DOMParser().parseFromString(text, 'text/html');
}

/** Replaces the element with this id. Nothing changes if the server can't be reached. */
async function replacePart(id: string, address: string, signal?: AbortSignal): Promise<boolean> {
  const part = (await load(address, signal))?.getElementById(id);
  if (part == null || signal?.aborted === true) return false;
  showLocalTimes(part);
  document.getElementById(id)?.replaceWith(document.adoptNode(part));
  return true;
}

export function filterWhileTyping(): void {
  const box = document.querySelector<HTMLInputElement>('[data-filter]');
  const id = box?.dataset.filter;
  if (box == null || id === undefined) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  const filter = async () => {
    running = new AbortController();
    const query = box.value === '' ? '' : `?${new URLSearchParams({ q: box.value })}`;
    const address = location.pathname + query;
    if (await replacePart(id, address, running.signal)) history.replaceState(null, '', address);
  };
  box.addEventListener('input', () => {
    clearTimeout(timer);
    running?.abort();
    timer = setTimeout(filter, PAUSE_MS);
  });
}

export function showMoreInPlace(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-more]') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void showMore(link);
  });
}

async function showMore(link: HTMLAnchorElement): Promise<void> {
  link.setAttribute('aria-disabled', 'true');
  const next = await load(link.href);
  const [grid, games] = [document.querySelector('[data-grid]'), next?.querySelectorAll('[data-grid] > li') ?? []];
  // The link still opens the next page by itself.
  if (next === null || grid === null) return location.assign(link.href);
  const added = [...games].map((game) => document.adoptNode(game));
  grid.append(...added);
  const more = next.querySelector('a[data-more]');
  if (more === null) link.parentElement?.remove();
  else link.replaceWith(document.adoptNode(more));
  added[0]?.querySelector('a')?.focus();
}

type WithHints = {
  userAgentData?: { getHighEntropyValues(names: readonly string[]): Promise<NonNullable<BrowserFacts['hints']>> };
};

/**
 * Asks the server for another download if the browser reveals more about the machine than its user agent, such as an
 * Intel processor in a Mac.
 */
export async function refineDownload(): Promise<void> {
  const area = document.getElementById('download');
  if (area === null) return;
  const hints = await readHints();
  const machine = readMachine({
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
    ...(hints !== undefined && { hints }),
  });
  const { platforms = '', best: shown = '' } = area.dataset;
  const offers = platforms.split(' ').map((platform) => {
    const [os, arch] = platform.split('/');
    return { os, arch } as Platform;
  });
  const { best } = chooseDownload(offers, machine);
  if (machine.os === null || (best === null ? '' : `${best.os}/${best.arch}`) === shown) return;
  const address = new URL(location.href);
  address.searchParams.set('os', machine.os);
  if (machine.arch !== null) address.searchParams.set('arch', machine.arch);
  await replacePart('download', address.href);
}

/** The browser's hints about the machine; undefined if it has none or refuses. */
function readHints(): Promise<BrowserFacts['hints']> {
  const { userAgentData } = navigator as WithHints;
  const reading = userAgentData?.getHighEntropyValues(['architecture', 'bitness', 'platform']);
  return reading?.catch(() => undefined) ?? Promise.resolve(undefined);
}

const { lang } = document.documentElement;
/** The server uses the same format. */
const exact = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { dateStyle: 'medium', timeStyle: 'long' });

/** Shows a time in the visitor's time zone on hover. The server doesn't know the zone, and writes UTC. */
export function showLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) time.title = exact.format(date);
  }
}

let words: Readonly<Record<string, string>> | undefined;

/** A text that the server wrote into the page for its scripts, with values filled in: `image {no} of {total}`. */
export function say(key: string, values: Readonly<Record<string, string | number>> = {}): string {
  words ??= JSON.parse(document.getElementById('words')?.dataset.words ?? '{}') as Record<string, string>;
  return (words[key] ?? '').replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
