// Chooses light or dark mode, for the whole website: visitors switch between them, and signed-in people choose in their
// menu. Without a choice, the system's scheme applies.

/** As the component library of the other pages and scheme.js name it. */
const CHOICE = 'mantine-color-scheme-value';

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
let choice = readChoice();

export function addThemeSwitch(): void {
  const choices = [...document.querySelectorAll<HTMLElement>('[data-theme]')];
  const show = () => {
    const isDark = choice === 'dark' || (choice !== 'light' && system.matches);
    root.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
    for (const button of choices) button.ariaPressed = String(button.dataset.theme === choice);
  };
  const choose = (next: string) => {
    choice = next;
    storeChoice();
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

function readChoice(): string {
  try {
    return localStorage.getItem(CHOICE) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function storeChoice(): void {
  try {
    localStorage.setItem(CHOICE, choice);
  } catch {
    // If storage is blocked, the choice lasts as long as the page.
  }
}
