// The script of the public pages. Without it, they are complete documents, with links and forms. What concerns a single
// part of a page has its own file; the rest is here. The functions are called at the end of the file.
import { focusOnSlash, readChoice, SCHEME_CHOICE, storeChoice, writeClipboard } from '../browser.ts';
import { keepUnsentText, showMessagesOfForm, startBeta, startSignOut } from './forms.ts';
import { startGallery, startVideos } from './gallery.ts';
import { filterWhileTyping, refineDownload, say, showLocalTimes, showMoreInPlace } from './page-parts.ts';

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
let choice = readChoice(SCHEME_CHOICE) ?? 'auto';

/**
 * Chooses light or dark mode, for the whole website: visitors switch between them, and signed-in people choose in their
 * menu. Without a choice, the system's scheme applies.
 */
function addThemeSwitch(): void {
  const choices = [...document.querySelectorAll<HTMLElement>('[data-theme]')];
  const show = () => {
    const isDark = choice === 'dark' || (choice !== 'light' && system.matches);
    root.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
    for (const button of choices) button.ariaPressed = String(button.dataset.theme === choice);
  };
  const choose = (next: string) => {
    choice = next;
    storeChoice(SCHEME_CHOICE, choice);
    show();
  };
  for (const button of choices) button.addEventListener('click', () => choose(button.dataset.theme ?? 'auto'));
  document.querySelector('[data-theme-switch]')?.addEventListener('click', () => {
    const next = root.dataset.mantineColorScheme === 'dark' ? 'light' : 'dark';
    choose((next === 'dark') === system.matches ? 'auto' : next);
  });
  system.addEventListener('change', show);
  show();
}

/** Shows when the visitor is offline, and reloads the page if the server could not show it. */
function watchConnection(): void {
  const area = document.createElement('div');
  area.setAttribute('role', 'status');
  document.body.append(area);
  const show = () => {
    const message = document.createElement('p');
    message.className = 'connection';
    message.textContent = say('offline');
    area.replaceChildren(...(navigator.onLine ? [] : [message]));
  };
  addEventListener('offline', show);
  addEventListener('online', show);
  if (!navigator.onLine) show();
  const seconds = Number(document.querySelector<HTMLMetaElement>('meta[name="retry"]')?.content);
  if (seconds > 0) setTimeout(() => location.reload(), seconds * 1000);
}

const COUNTED = /\/(download|play)$/;

/**
 * Adds the website that the visitor came from to downloads and plays, for the statistics of the game. It is added when
 * a link is followed, so that copied links don't contain it.
 */
function passReferrerOn(): void {
  const referrer = takeReferrer();
  if (referrer === '') return;
  const pass = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('#download a') : null;
    if (link === null || !COUNTED.test(link.pathname)) return;
    const url = new URL(link.href);
    url.searchParams.set('referrer', referrer);
    link.href = url.href;
  };
  addEventListener('click', pass);
  addEventListener('auxclick', pass);
}

/** Visitors who come from the widget have the website that embeds it in the address. */
function takeReferrer(): string {
  const { searchParams: query, pathname, hash } = new URL(location.href);
  const passedOn = query.get('referrer') ?? '';
  if (passedOn !== '') {
    query.delete('referrer');
    history.replaceState(history.state, '', `${pathname}${query.size === 0 ? '' : `?${query}`}${hash}`);
  }
  if (document.referrer === '') return '';
  const { hostname } = new URL(document.referrer);
  return hostname === location.hostname ? passedOn : hostname;
}

const FEEDBACK_MS = 1500;

/** The buttons that copy an ID or a checksum, including buttons that are added to the page later. */
function addCopying(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>('[data-copy]') : null;
    if (button !== null) void copy(button);
  });
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const isCopied = await writeClipboard(button.dataset.copy ?? '');
  button.title = say(isCopied ? 'copied' : 'copy.failed');
  button.toggleAttribute('data-done', isCopied);
  setTimeout(() => {
    button.title = say('copy');
    button.removeAttribute('data-done');
  }, FEEDBACK_MS);
}

addThemeSwitch();
startSignOut();
addCopying();
focusOnSlash(() =>
  [...document.querySelectorAll<HTMLInputElement>('[data-search]')].find((each) => each.checkVisibility()),
);
startGallery();
startVideos();
passReferrerOn();
startBeta();
showMessagesOfForm();
keepUnsentText();
filterWhileTyping();
showMoreInPlace();
showLocalTimes(document);
watchConnection();
void refineDownload();
