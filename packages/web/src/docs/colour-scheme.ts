// Switches between light and dark mode, for the whole website. Without a choice, the system's scheme applies.
import { readChoice, storeChoice } from './storage.ts';

/** As the component library of the other pages and scheme.js name it. */
const CHOICE = 'mantine-color-scheme-value';

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
    button.textContent = isDark() ? 'Light mode' : 'Dark mode';
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
  document.querySelector('footer')?.append(button);
}
