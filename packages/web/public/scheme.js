// Sets the colour scheme before the first paint, so that a dark page doesn't flash white, and marks that scripts run.
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value') ?? 'auto';
  } catch {
    // If storage is blocked, the system's scheme applies.
  }
  const isDark = chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const { dataset } = document.documentElement;
  dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  dataset.js = '';
})();
