// Switches between light and dark mode, for the whole website. Without a choice, the system's scheme applies.
import { readChoice, storeChoice } from './storage.ts';

/** As the component library of the other pages and scheme.js name it. */
const CHOICE = 'mantine-color-scheme-value';

const HALF_DISC =
  '<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><circle cx="9" cy="9" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M9 2.5a6.5 6.5 0 0 1 0 13z" fill="currentColor"/></svg>';

export function addColourSwitch(): void {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const chosen = readChoice(CHOICE);
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
    storeChoice(CHOICE, root.dataset.mantineColorScheme ?? 'auto');
    show();
  });
  system.addEventListener('change', show);
  show();
  button.innerHTML = HALF_DISC;
  document.querySelector('.header > div')?.append(button);
}
