// The theme: neutral greys and one accent. Other colours are only used for states.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/**
 * Ordered from light to dark. Shade 6 is the accent of the light scheme, 5 of the dark one. White text is readable on
 * both.
 */
const accent: MantineColorsTuple = [
  '#e8f4f8',
  '#d3e7ee',
  '#a9d0de',
  '#7cb8cd',
  '#57a3be',
  '#1f7fa1',
  '#1c6e8c',
  '#165a73',
  '#11475b',
  '#0b3342',
];

/** The neutral colours of the dark scheme, from light to dark. Shade 7 is the page: see tokens.css. */
const dark: MantineColorsTuple = [
  '#d6d9dd',
  '#b8bec5',
  '#8f979f',
  '#69717a',
  '#333940',
  '#2c3238',
  '#22262b',
  '#16181b',
  '#111315',
  '#0c0d0f',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { accent, dark },
  autoContrast: true,
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '16px', lg: '18px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  // h1 to h6 name sizes: titles of pages are h2, of their sections h4, and of parts of a section h5.
  headings: {
    fontFamily: 'var(--display)',
    fontWeight: '700',
    sizes: {
      h2: { fontSize: '22px', lineHeight: '1.35' },
      h4: { fontSize: '16px', lineHeight: '1.45' },
      h5: { fontSize: '15px', lineHeight: '1.45' },
    },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** The library's dimmed text and errors have too little contrast (WCAG 2.2, 1.4.3 requires 4.5:1). */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6269',
    '--mantine-color-placeholder': '#6b7178',
    '--mantine-color-error': '#c92a2a',
    // The contrast is also enough on the colour of a button under the mouse.
    '--mantine-color-red-light-color': '#b02525',
  },
  dark: {
    '--mantine-color-dimmed': '#a2a9b1',
    '--mantine-color-placeholder': '#9a9a9a',
    '--mantine-color-error': '#ff8787',
    // Alerts on public pages have the same colours.
    '--mantine-color-red-light': '#3b2023',
  },
});

/**
 * Prints pages in the light theme, whose texts can be read on white paper. `root` has the attribute from which the
 * component library takes its colours.
 */
export function printLight({ dataset }: HTMLElement): void {
  let shown: string | undefined;
  addEventListener('beforeprint', () => {
    shown = dataset.mantineColorScheme;
    dataset.mantineColorScheme = 'light';
  });
  addEventListener('afterprint', () => {
    dataset.mantineColorScheme = shown;
  });
}
