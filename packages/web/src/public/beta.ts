// The button that joins or leaves the beta of a game.
import { say } from './words.ts';

export function startBeta(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-beta]');
  button?.addEventListener('click', async () => {
    const { beta: method = 'PUT', game = '', after = '' } = button.dataset;
    button.disabled = true;
    const response = await fetch(`/api/v1/games/${game}/beta`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'PUT' && { body: '{}' }),
    }).catch(() => null);
    if (response?.ok) return location.assign(after);
    button.disabled = false;
    const alert = document.createElement('p');
    alert.className = 'alert';
    alert.role = 'alert';
    alert.textContent = say(response === null ? 'beta.unreachable' : 'beta.failed');
    button.nextElementSibling?.remove();
    button.after(alert);
  });
}
