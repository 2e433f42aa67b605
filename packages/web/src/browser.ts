// What the program, the public pages and the documentation alike do with the browser: copy text, remember choices, and
// move to the search field by a key. The build gives each of the three its own copy, because a file that they share would
// be one more request of each page.

/** Returns false if the browser doesn't allow it. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // On a server that is reached by plain HTTP, this is the only way.
    return copySelection(text);
  }
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // Content outside an open dialog can't be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return isCopied;
}

/** The name of the choice of light or dark mode. The component library of the program and scheme.js use it too. */
export const SCHEME_CHOICE = 'mantine-color-scheme-value';

/** What the visitor chose on an earlier page. If the browser blocks storage, choices last as long as the page. */
export function readChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function storeChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The page itself has changed already.
  }
}

export function forgetChoice(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // Nothing was stored.
  }
}

/** The slug of the game that a developer opened last, whose ids the documentation fills in. */
export const GAME_CHOICE = 'docs-game';

/** Lets the key `/` move to a search field, unless someone is typing. `find` returns the field. */
export function focusOnSlash(find: () => HTMLInputElement | undefined): void {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = find();
    if (box === undefined) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}
