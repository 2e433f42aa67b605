// The script of the documentation: results while typing, copy buttons, one choice of shell for all pages, the ids of a
// developer's game, and a switch for dark mode. Without it, the pages are complete. The functions are called at the end of the file.
import { readChoice, SCHEME_CHOICE, storeChoice, writeClipboard } from '../browser.ts';
import { suggestResults } from './search-box.ts';
import { fillInYourGame } from './your-game.ts';

const HALF_DISC =
  '<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><circle cx="9" cy="9" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M9 2.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>';

/** Switches between light and dark mode, for the whole website. Without a choice, the system's scheme applies. */
function addColourSwitch(): void {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = readChoice(SCHEME_CHOICE);
  // scheme.js sets the attribute without a choice too, and then the page wouldn't follow the system.
  if (chosen !== 'light' && chosen !== 'dark') delete root.dataset.mantineColorScheme;
  const isDark = () => (root.dataset.mantineColorScheme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'scheme';
  const show = () => {
    const label = isDark() ? 'Light mode' : 'Dark mode';
    button.ariaLabel = label;
    button.title = label;
  };
  button.addEventListener('click', () => {
    const next = isDark() ? 'light' : 'dark';
    if ((next === 'dark') === system.matches) delete root.dataset.mantineColorScheme;
    else root.dataset.mantineColorScheme = next;
    storeChoice(SCHEME_CHOICE, root.dataset.mantineColorScheme ?? 'auto');
    show();
  });
  system.addEventListener('change', show);
  show();
  button.innerHTML = HALF_DISC;
  document.querySelector('.header > div')?.append(button);
}

const SHELL_CHOICE = 'docs-shell';

/** Shows all commands for the shell that the visitor chose last, or at first for the shell of their OS. */
function rememberShell(): void {
  const initial = readChoice(SHELL_CHOICE) ?? (navigator.userAgent.includes('Windows') ? 'powershell' : null);
  if (initial !== null) chooseShell(initial);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('[data-shells]') === null) return;
    const top = target.getBoundingClientRect().top;
    chooseShell(target.value);
    storeChoice(SHELL_CHOICE, target.value);
    // Blocks above have another height now; the clicked tab should stay where it is.
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  });
}

function chooseShell(shell: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-shells] input')) {
    if (input.value === shell) input.checked = true;
  }
}

const FEEDBACK_MS = 1500;

/** Adds a button to each block of code that copies it. */
function addCopyButtons(): void {
  for (const block of document.querySelectorAll('[data-code]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.dataset.copy = '';
    button.addEventListener('click', () => copy(button, block.querySelector('code')?.textContent ?? ''));
    block.append(button);
  }
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const isCopied = await writeClipboard(text);
  button.textContent = isCopied ? 'Copied' : 'Copy failed';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, FEEDBACK_MS);
}

addColourSwitch();
addCopyButtons();
rememberShell();
suggestResults();
void fillInYourGame();
document.querySelector('.sidebar [aria-current]')?.scrollIntoView({ block: 'nearest' });
