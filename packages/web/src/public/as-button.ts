// Makes a link act on this page instead of opening another one.

export function asButton(link: HTMLAnchorElement, act: () => void): void {
  link.setAttribute('role', 'button');
  link.addEventListener('click', (event) => {
    event.preventDefault();
    act();
  });
  link.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return;
    event.preventDefault();
    act();
  });
}
