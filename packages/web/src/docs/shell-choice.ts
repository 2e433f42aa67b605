// Shows all commands for the shell that the visitor chose last, or at first for the one of their OS.
import { readChoice, storeChoice } from './storage.ts';

const CHOICE = 'docs-shell';

export function rememberShell(): void {
  const initial = readChoice(CHOICE) ?? (navigator.userAgent.includes('Windows') ? 'powershell' : null);
  if (initial !== null) choose(initial);
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('[data-shells]') === null) return;
    const top = target.getBoundingClientRect().top;
    choose(target.value);
    storeChoice(CHOICE, target.value);
    // Blocks above have another height now; the clicked tab should stay where it is.
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
  });
}

function choose(shell: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('[data-shells] input')) {
    if (input.value === shell) input.checked = true;
  }
}
