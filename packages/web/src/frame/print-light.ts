// Prints pages in the light theme, whose texts can be read on white paper.

/** `root` has the attribute from which the component library takes its colours. */
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
