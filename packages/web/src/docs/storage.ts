// Reads and writes choices of the visitor. If the browser blocks storage, they last as long as the page.

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
